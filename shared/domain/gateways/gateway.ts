import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { notFound } from '../../core/errors.ts'
import { entity, itemRow, type Row } from '../../table/entity.ts'
import { entityKey, type Item, type Key, partition } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import { Text } from '../../values/fields.ts'
import { lastSeenFields, presenceKey } from '../sessions/presence.ts'

export type GatewayRow = Row & { site_id: string; name: string; ipv4: string; ipv6: string }

export const gateways = entity<GatewayRow>({
  name: 'gateways',
  indexes: {
    site_id: { value: (row) => row.site_id, counted: true },
    name: { value: (row) => `${row.site_id}#${row.name}`, counted: true },
    ipv4: { value: (row) => `${row.site_id}#${row.ipv4}`, counted: true },
    ipv6: { value: (row) => `${row.site_id}#${row.ipv6}`, counted: true },
  },
  unique: { 'devices.tunnel_address': (row) => row.ipv4 },
})

/** Gateway in API responses (A21.1). */
export const Gateway = v.object({
  id: v.string(),
  site_id: v.string(),
  name: v.string(),
  ipv4: v.string(),
  ipv6: v.string(),
  online: v.boolean(),
  public_key: v.nullable(v.string()),
  gateway_token_id: v.nullable(v.string()),
  rotated_at: v.nullable(v.string()),
  ...lastSeenFields,
})

const Name = Text(255)

/** Fields of a new gateway. A missing or null name is replaced with a random one; a blank name is invalid (A21.2). */
export const NewGatewayFields = v.object({ name: v.optional(v.nullable(Name)) })

export const GatewayFields = v.object({ name: v.optional(Name) })

export const generateGatewayName = (): string =>
  Array.from({ length: 5 }, () => String.fromCharCode(97 + randomInt(26))).join('')

/**
 * Key of the index item that maps the public key of a gateway's latest session to the gateway (P2.2). Public keys are not unique (P1.8).
 */
export const publicKeyKey = (account: string, siteId: string, publicKey: string, gatewayId: string): Key => ({
  pk: partition(account, 'gateways.public_key', siteId, publicKey),
  sk: gatewayId,
})

export const publicKeyItem = (account: string, siteId: string, publicKey: string, gatewayId: string): Item => ({
  ...publicKeyKey(account, siteId, publicKey, gatewayId),
  kind: 'index',
  row: entityKey(account, gateways.name, gatewayId),
})

/** Finds the oldest gateway of a site whose latest session has this public key. */
export async function findByPublicKey(account: string, siteId: string, publicKey: string): Promise<GatewayRow | null> {
  const indexes = await queryItems(publicKeyKey(account, siteId, publicKey, '').pk)
  const ids = indexes.map((index) => String(index.sk))
  const items = await getItems(
    ids.flatMap((id) => [entityKey(account, gateways.name, id), presenceKey(account, 'gateways', id)]),
  )
  // Accepts a gateway without a presence item, because it was just created for its first session.
  const at = ids.findIndex((_, i) => items[2 * i] && (items[2 * i + 1]?.public_key ?? publicKey) === publicKey)
  const item = at < 0 ? undefined : items[2 * at]
  return item ? itemRow(gateways, item) : null
}

/** Reads a gateway of a site. @throws ApiError 404 for a gateway of another site */
export async function inSite(transaction: Transaction, siteId: string, id: string): Promise<GatewayRow> {
  const gateway = await transaction.get(gateways, id)
  if (gateway?.site_id !== siteId) throw notFound()
  return gateway
}
