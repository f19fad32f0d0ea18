import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { listRows } from '../../table/list.ts'
import { existingRow, getRow } from '../../table/read.ts'
import { divideFilters, scanRows } from '../../table/scan-rows.ts'
import type { Page } from '../../values/page.ts'
import { allocateAddress } from '../devices/allocate-address.ts'
import { mintGatewayToken } from '../gateway-tokens/gateway-token.ts'
import { type CheckedPresence, deviceTests, readPresence, readPresences, renderPresence } from '../sessions/presence.ts'
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

/** Maximum gateways that a page with scan filters reads: a row, its presence and its token take three read units (K11.G13(3)). */
const maxScanned = 180

async function listBy(account: string, page: Page, indexesOf: (filters: Page['filters']) => Page['filters']) {
  const now = clock.now()
  const { indexes: filters, matches } = divideFilters(page.filters, deviceTests(now))
  const indexes = indexesOf(filters)
  const presencesOf = (ids: string[]) => readPresences(account, 'gateways', ids)
  if (matches) {
    const scan = { indexes, matches, presence: presencesOf, limit: maxScanned }
    const { entries, metadata } = await scanRows<GatewayRow, CheckedPresence>(gateways, account, page, scan)
    return { data: entries.map(({ row, presence }) => renderGateway(row, presence, now)), metadata }
  }
  const { rows, metadata } = await listRows(gateways, account, page, { indexes })
  const presences = await presencesOf(rows.map(({ id }) => id))
  return { data: rows.map((row, i) => renderGateway(row, presences[i] ?? null, now)), metadata }
}

export async function list(account: string, siteId: string, page: Page) {
  // Reports an invalid cursor before an unknown site (A4).
  const listed = listBy(account, page, (filters) => toIndexes(siteId, filters))
  return (await sideBySide(listed, existingRow(sites, account, siteId)))[0]
}

/** Lists the gateways of all sites, or of the site in the filter `site_id` (K11.G4). */
export const listAll = (account: string, page: Page) => listBy(account, page, (filters) => filters)

/** Reads a gateway of a site; with null, of any site (K11.G4). @throws ApiError 404 */
export async function get(account: string, siteId: string | null, id: string) {
  const [row, presence] = await Promise.all([getRow(gateways, account, id), readPresence(account, 'gateways', id)])
  if (!row || (siteId !== null && row.site_id !== siteId)) throw notFound()
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
