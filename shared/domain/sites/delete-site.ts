import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { rowsBy } from '../../table/read.ts'
import { gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { deleteGatewayToken } from '../gateway-tokens/stage-gateway-token.ts'
import { deleteGateway } from '../gateways/delete-gateway.ts'
import { gateways } from '../gateways/gateway.ts'
import { deleteResource } from '../resources/delete-resource.ts'
import { resources } from '../resources/resource.ts'
import { type SiteRow, sites } from './site.ts'

/**
 * Stages the deletion of a site (A29): first its gateways and tokens, without which nothing in it can be reached (`more`
 * when they did not fit), then itself; its resources go along or are left for later.
 */
export async function stageSiteDeletion(transaction: Transaction, site: SiteRow): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const withoutGateways = await stageWhileRoom(
    transaction,
    (range) => rowsBy(gateways, accountId, 'site_id', site.id, range),
    (gateway) => deleteGateway(transaction, gateway),
  )
  const withoutTokens = await stageWhileRoom(
    transaction,
    (range) => rowsBy(gatewayTokens, accountId, 'site_id', site.id, range),
    (token) => deleteGatewayToken(transaction, token),
  )
  if (withoutGateways === 'more' || withoutTokens === 'more') return 'more'
  transaction.delete(sites, site)
  if ((await stageRestOfSite(transaction, site.id)) === 'more') transaction.defer({ below: sites.name, id: site.id })
  return 'done'
}

export const stageRestOfSite = (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  stageWhileRoom(
    transaction,
    (range) => rowsBy(resources, transaction.accountId, 'site_id', id, range),
    (resource) => deleteResource(transaction, resource),
  )
