import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { allocateAddress } from '../devices/allocate-address.ts'
import { mintGatewayToken } from '../gateway-tokens/stage-gateway-token.ts'
import { readPresence, readPresences } from '../presence/presence.ts'
import { sites } from '../sites/site.ts'
import { deleteGateway } from './delete-gateway.ts'
import { type GatewayRow, gateways } from './gateway.ts'
import type { GatewayFields, NewGatewayFields } from './gateway-fields.ts'
import { generateGatewayName } from './generated-name.ts'
import { renderGateway } from './render-gateway.ts'

/** The narrowest first: a combination of filters reads all rows of the first. */
const filterOrder = ['ipv4', 'ipv6', 'name']

/** A gateway's filters count within its site (A7.3). */
const edgesOf = (siteId: string, filters: Page['filters']): Record<string, string> => {
  const given = filterOrder.flatMap((name) => (name in filters ? [[name, `${siteId}#${filters[name]}`] as const] : []))
  return given.length > 0 ? Object.fromEntries(given) : { site_id: siteId }
}

export async function list(account: string, siteId: string, page: Page) {
  const [listed, site] = await Promise.allSettled([
    listRows(gateways, account, page, { edges: edgesOf(siteId, page.filters) }),
    getRow(sites, account, siteId),
  ])
  // A bad cursor is told before an unknown site (A4).
  if (listed.status === 'rejected') throw listed.reason
  if (site.status === 'rejected') throw site.reason
  if (!site.value) throw notFound()
  const { rows, metadata } = listed.value
  const presences = await readPresences(
    account,
    'gateways',
    rows.map((row) => row.id),
  )
  const now = clock.now()
  return { data: rows.map((row, i) => renderGateway(row, presences[i] ?? null, now)), metadata }
}

export async function get(account: string, siteId: string, id: string) {
  const [row, presence] = await Promise.all([getRow(gateways, account, id), readPresence(account, 'gateways', id)])
  if (row?.site_id !== siteId) throw notFound()
  return { data: renderGateway(row, presence, clock.now()) }
}

/** Creates a gateway with a token of its own, in one commit (A21.2). */
export const create = (author: Author, siteId: string, input: () => v.InferOutput<typeof NewGatewayFields>) =>
  commit(author, async (transaction) => {
    if (!(await transaction.get(sites, siteId))) throw notFound()
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

/** Deletes a gateway with its tokens, session and authorizations (A29); it is shown as it last was, but offline. */
export const remove = (author: Author, siteId: string, id: string) =>
  commit(author, async (transaction) => {
    const gateway = await inSite(transaction, siteId, id)
    const presence = await readPresence(author.accountId, 'gateways', id)
    await deleteGateway(transaction, gateway)
    return { data: { ...renderGateway(gateway, presence, transaction.now), online: false } }
  })

async function inSite(transaction: Transaction, siteId: string, id: string): Promise<GatewayRow> {
  const gateway = await transaction.get(gateways, id)
  if (gateway?.site_id !== siteId) throw notFound()
  return gateway
}
