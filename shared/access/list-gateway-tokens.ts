import { clock } from '../core/clock.ts'
import { sideBySide } from '../core/work/side-by-side.ts'
import { readLastSeen } from '../domain/api-tokens/api-token.ts'
import { gatewayTokens, rotationEnded } from '../domain/gateway-tokens/gateway-token.ts'
import { sites } from '../domain/sites/site.ts'
import { existingRow } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { newestRows } from './access-list.ts'

/**
 * Lists the tokens of a site or, with the filter `gateway_id`, of one of its gateways, without those whose rotation has ended (K11.G11).
 * @throws ApiError 404
 */
export async function listGatewayTokens(account: string, siteId: string, page: Page) {
  const now = clock.now()
  const { gateway_id: gatewayId } = page.filters
  const listed = newestRows(
    gatewayTokens,
    account,
    page,
    gatewayId === undefined ? ['site_id', siteId] : ['gateway_id', gatewayId],
    (token) => token.site_id === siteId && !rotationEnded(token, now),
  )
  // Reports an invalid cursor before an unknown site (A4).
  const [{ data, metadata }] = await sideBySide(listed, existingRow(sites, account, siteId))
  const ids = data.map(({ id }) => id)
  const lastUses = await readLastSeen(account, gatewayTokens.name, ids)
  return { data: data.map((token, i) => ({ ...token, last_seen_at: lastUses[i] ?? null })), metadata }
}
