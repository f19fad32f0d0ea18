import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { listRows } from '../../table/list.ts'
import { existingRow, getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { allocateAddress } from '../devices/allocate-address.ts'
import { mintGatewayToken } from '../gateway-tokens/gateway-token.ts'
import { type CheckedPresence, readPresence, readPresences, renderPresence } from '../sessions/presence.ts'
import { sites } from '../sites/site.ts'
import {
  type GatewayFields,
  type GatewayRow,
  gateways,
  generateGatewayName,
  inSite,
  type NewGatewayFields,
} from './gateway.ts'

/** Filters, most selective first, because combined filters read all rows that match the first filter. */
const filterOrder = ['ipv4', 'ipv6', 'name']

/** Index values for the filters of a list. Each value includes the site, because filters apply within a site (A7.3). */
const toIndexes = (siteId: string, filters: Page['filters']): Record<string, string> => {
  const siteFilters = filterOrder.flatMap((name) =>
    name in filters ? [[name, `${siteId}#${filters[name]}`] as const] : [],
  )
  return siteFilters.length > 0 ? Object.fromEntries(siteFilters) : { site_id: siteId }
}

export async function list(account: string, siteId: string, page: Page) {
  // Reports an invalid cursor before an unknown site (A4).
  const [{ rows, metadata }] = await sideBySide(
    listRows(gateways, account, page, { indexes: toIndexes(siteId, page.filters) }),
    existingRow(sites, account, siteId),
  )
  const ids = rows.map(({ id }) => id)
  const presences = await readPresences(account, 'gateways', ids)
  const now = clock.now()
  return { data: rows.map((row, i) => renderGateway(row, presences[i] ?? null, now)), metadata }
}

export async function get(account: string, siteId: string, id: string) {
  const [row, presence] = await Promise.all([getRow(gateways, account, id), readPresence(account, 'gateways', id)])
  if (row?.site_id !== siteId) throw notFound()
  return { data: renderGateway(row, presence, clock.now()) }
}

/** Creates a gateway and its token in one commit (A21.2). */
export const create = (author: Author, siteId: string, input: () => v.InferOutput<typeof NewGatewayFields>) =>
  commit(author, async (transaction) => {
    await transaction.existing(sites, siteId)
    const addresses = await allocateAddress(transaction)
    const name = input().name ?? generateGatewayName()
    const gateway = transaction.insert(gateways, { site_id: siteId, name, ...addresses })
    const { token } = await mintGatewayToken(transaction, { siteId, gatewayId: gateway.id })
    return { data: { ...renderGateway(gateway, null, transaction.now), token } }
  })

export const update = (author: Author, siteId: string, id: string, input: () => v.InferOutput<typeof GatewayFields>) =>
  commit(author, async (transaction) => {
    const gateway = await inSite(transaction, siteId, id)
    const after = transaction.update(gateways, gateway, { name: input().name })
    return { data: renderGateway(after, await readPresence(author.accountId, 'gateways', id), transaction.now) }
  })

export const renderGateway = (row: GatewayRow, presence: CheckedPresence | null, now: number) => ({
  ...row,
  ...renderPresence(presence, now),
  gateway_token_id: presence?.token_id ?? null,
  rotated_at: presence?.rotated_at ?? null,
})
