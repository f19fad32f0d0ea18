import { itemRow } from '../../table/entity.ts'
import { entityKey, type Item, type Key, partition } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import { presenceKey } from '../presence/presence.ts'
import { type GatewayRow, gateways } from './gateway.ts'

/** Finds the gateways of a site by the public key of their latest session (P2.2). Keys are not unique (P1.8). */
export const publicKeyKey = (account: string, siteId: string, publicKey: string, gatewayId: string): Key => ({
  pk: partition(account, 'gateways.public_key', siteId, publicKey),
  sk: gatewayId,
})

export const publicKeyItem = (account: string, siteId: string, publicKey: string, gatewayId: string): Item => ({
  ...publicKeyKey(account, siteId, publicKey, gatewayId),
  kind: 'edge',
  row: entityKey(account, gateways.name, gatewayId),
})

/** The oldest gateway of the site with this public key. */
export async function findByPublicKey(account: string, siteId: string, publicKey: string): Promise<GatewayRow | null> {
  const edges = await queryItems(publicKeyKey(account, siteId, publicKey, '').pk)
  const ids = edges.map((edge) => String(edge.sk))
  const items = await getItems(
    ids.flatMap((id) => [entityKey(account, gateways.name, id), presenceKey(account, 'gateways', id)]),
  )
  // A gateway that was just created for its first session has no presence yet.
  const at = ids.findIndex((_, i) => items[2 * i] && (items[2 * i + 1]?.public_key ?? publicKey) === publicKey)
  const item = at < 0 ? undefined : items[2 * at]
  return item ? itemRow(gateways, item) : null
}
