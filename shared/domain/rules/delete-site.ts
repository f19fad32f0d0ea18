import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { combineStages, stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { deleteGatewayToken, gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { gateways } from '../gateways/gateway.ts'
import { resources } from '../resources/resource.ts'
import { sites } from '../sites/site.ts'
import { editable } from '../sites/store.ts'
import { deleteGateway } from './delete-gateway.ts'
import { deleteResource } from './delete-resource.ts'

export const stageRestOfSite = (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  stageRows(transaction, resources, 'site_id', id, (resource) => deleteResource(transaction, resource))

/** Deletes a site (A29). Its gateways and tokens are deleted first, which ends all access; the site and its resources follow. */
export const removeSite = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const site = await editable(transaction, id)
    const outcome = combineStages(
      await stageRows(transaction, gateways, 'site_id', id, (gateway) => deleteGateway(transaction, gateway)),
      await stageRows(transaction, gatewayTokens, 'site_id', id, (token) => deleteGatewayToken(transaction, token)),
    )
    if (outcome === 'more') return 'more'
    transaction.delete(sites, site)
    if ((await stageRestOfSite(transaction, id)) === 'more') transaction.defer({ below: sites.name, id })
    return { done: { data: site } }
  })
