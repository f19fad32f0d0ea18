import { liveKey } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'

/** The live item of an actor or an API token. */
export type LastUse = { last_seen_at?: string }

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** `last_seen_at` of actors or API tokens, in the order of their ids; it is noted beside each whenever a token is used. */
export async function lastSeen(account: string, collection: string, ids: string[]): Promise<(string | null)[]> {
  const live = await getItems(ids.map((id) => liveKey(account, collection, id)))
  return live.map((item) => textOrNull(item?.last_seen_at))
}
