import * as v from 'valibot'
import { authorizationsBy } from '../commit/revoke.ts'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { clients } from '../domain/clients/client.ts'
import { findPresences, isOnline } from '../domain/sessions/presence.ts'
import { indexPartition, type Key } from '../table/keys.ts'
import { readPosition } from '../table/page-cursor.ts'
import { getItems, queryItems, type Range, sortKeysOf } from '../table/read.ts'
import { uuidFilter } from '../values/filters.ts'
import type { Page } from '../values/page.ts'
import { accessPage, idsOfRange } from './access-list.ts'
import { type AuthorizationItem, authorizationsPartition, hasExpired } from './authorization.ts'
import { managedGroupId } from './decide.ts'

export const authorizationFilters = {
  gateway_id: uuidFilter,
  resource_id: uuidFilter,
  actor_id: uuidFilter,
  client_id: uuidFilter,
  policy_id: uuidFilter,
}

/** Authorization in force (K11.G10). */
export const AuthorizationInForce = v.object({
  id: v.string(),
  actor_id: v.string(),
  client_id: v.string(),
  gateway_id: v.string(),
  resource_id: v.string(),
  policy_id: v.string(),
  group_id: v.nullable(v.string()),
  client_remote_ip: v.string(),
  user_agent: v.nullable(v.string()),
  authorized_at: v.string(),
  expires_at: v.string(),
})

/** Pointer to an authorization; an authorization points to itself. */
type Pointer = Key & { authorization_id?: string; row?: Key }

type Keys = { id: string; key: Key }[]

const keysIn = async (pk: string, range?: Range): Promise<Keys> =>
  (await queryItems<Pointer>(pk, range, ['pk', 'sk', 'authorization_id', 'row'])).map((item) => ({
    id: item.authorization_id ?? item.sk,
    key: item.row ?? item,
  }))

/** Returns a reader of the authorizations' keys in the order of their ids. Chooses the filter that usually matches the fewest. */
async function keyReader(account: string, { client_id, actor_id, ...others }: Page['filters']) {
  const { policy_id, resource_id, gateway_id } = others
  const clientIds =
    client_id !== undefined
      ? [client_id]
      : actor_id !== undefined && (await sortKeysOf(indexPartition(account, clients.name, 'actor_id', actor_id)))
  if (clientIds) {
    const found: Keys = []
    await inParallel(clientIds, 10, async (id) => {
      found.push(...(await keysIn(authorizationsBy(account, 'client', id))))
    })
    const keys = new Map(found.map((each) => [each.id, each]))
    const ids = [...keys.keys()].sort()
    return async (range: Parameters<typeof idsOfRange>[1]) => idsOfRange(ids, range).flatMap((id) => keys.get(id) ?? [])
  }
  const pk =
    policy_id !== undefined
      ? authorizationsBy(account, 'policy', policy_id)
      : resource_id !== undefined
        ? authorizationsBy(account, 'resource', resource_id)
        : authorizationsPartition(account, gateway_id ?? '')
  return (range: Range) => keysIn(pk, range)
}

/** Maximum authorizations that a page reads, because those of clients that are offline can remain for hours. */
const maxRead = 1_000

/**
 * Lists the authorizations in force (P5.5(3)) that match all filters, oldest first.
 * @throws ApiError `invalid_filter` without a filter
 */
export async function listAuthorizations(account: string, page: Page) {
  const filters = Object.entries(page.filters)
  if (filters.length === 0)
    throw new ApiError('invalid_filter', `One of ${Object.keys(authorizationFilters).join(', ')} is required.`)
  // Reports an invalid cursor before the first read (A4).
  await readPosition(page)
  const read = await keyReader(account, page.filters)
  const now = clock.now()
  const keys = new Map<string, Key>()
  const matches = (item: AuthorizationItem): boolean =>
    !hasExpired(item, now) && filters.every(([name, value]) => item[name] === value)
  let everyone: Promise<string | null> | undefined
  return accessPage(page, {
    maxRead,
    async read(range) {
      const found = await read(range)
      for (const { id, key } of found) keys.set(id, key)
      return found.map(({ id }) => id)
    },
    async accept(ids) {
      const items = await getItems<AuthorizationItem>(ids.flatMap((id) => keys.get(id) ?? []))
      const matching = items.flatMap((item) => (item && matches(item) ? [item] : []))
      const clientIds = [...new Set(matching.map(({ client_id }) => client_id))]
      // Skips the check of the token, because the deletion of a token also ends its sessions and authorizations.
      const presences = await findPresences(account, 'clients', clientIds)
      const keysOfOnline = new Map(
        presences.flatMap((presence, i) =>
          presence && isOnline(presence, now) ? [[clientIds[i], presence.public_key]] : [],
        ),
      )
      const inForce = matching.filter((item) => keysOfOnline.get(item.client_id) === item.client_public_key)
      if (inForce.some(({ membership }) => membership === null)) everyone ??= managedGroupId(account)
      const managedId = (await everyone) ?? null
      return inForce.map(({ membership, ...item }) => {
        const group_id = membership === null ? managedId : membership.slice(0, membership.indexOf('#'))
        return { id: item.id, row: { ...item, group_id } }
      })
    },
  })
}
