import { timestamp } from '../../core/clock.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, UpdateCommand } from '../../table/commands.ts'
import { type Key, liveKey } from '../../table/keys.ts'
import { getItem, getItems } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { authProviders, type ProviderKind } from './auth-provider.ts'

/** The last fault of a provider, as administrators are shown it. Its live item is written without a commit. */
export type LastFault = { last_error: string | null; last_error_at: string | null }

export const noFault: LastFault = { last_error: null, last_error_at: null }

/** Anybody can begin a sign-in that fails, so the item is written at most once in this time. */
const minuteMicros = 60_000_000

export const lastFaultKey = (account: string, kind: ProviderKind, id: string): Key =>
  liveKey(account, authProviders[kind].name, id)

/** Last faults of providers of a kind, in the order of their rows. */
export async function lastFaults(account: string, kind: ProviderKind, rows: readonly { id: string }[]) {
  const live = await getItems<Key & Partial<LastFault>>(rows.map(({ id }) => lastFaultKey(account, kind, id)))
  return rows.map(
    (_row, i): LastFault => ({
      last_error: live[i]?.last_error ?? null,
      last_error_at: live[i]?.last_error_at ?? null,
    }),
  )
}

export async function lastFault(account: string, kind: ProviderKind, row: { id: string }): Promise<LastFault> {
  const [fault] = await lastFaults(account, kind, [row])
  return fault ?? noFault
}

/** Notes a fault of a provider, unless one was noted in the last minute. */
export async function noteFault(key: Key, sentence: string, now: number): Promise<void> {
  const noting = new UpdateCommand({
    TableName: tableName(),
    Key: key,
    UpdateExpression: 'SET last_error = :sentence, last_error_at = :now, #kind = :live',
    ConditionExpression: 'attribute_not_exists(last_error_at) OR last_error_at <= :before',
    ExpressionAttributeNames: { '#kind': 'kind' },
    ExpressionAttributeValues: {
      ':sentence': sentence,
      ':now': timestamp(now),
      ':before': timestamp(now - minuteMicros),
      ':live': 'live',
    },
  })
  await table()
    .send(noting)
    .catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
    })
}

/** Forgets the fault of a provider that works again; where there is none, nothing is written. */
export async function forgetFault(key: Key): Promise<void> {
  if (await getItem(key)) await table().send(new DeleteCommand({ TableName: tableName(), Key: key }))
}
