import { randomBytes } from 'node:crypto'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { mintToken } from '#shared/core/secrets/token.ts'
import { type ClientTokenRow, clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { type ClientRow, clients, emptyDescription } from '#shared/domain/clients/client.ts'
import { rowItem, uniqueItems } from '#shared/table/entity.ts'
import type { AccessWorld } from '../access/access.ts'
import { publicKey } from '../access/public-key.ts'
import { plantItems } from './plant-rows.ts'

export const bareClient = { ...emptyDescription, verified_at: null }

/**
 * Writes registered clients of the world's actor into the table. Each client has a token but no session. A client's `start` starts a
 * session, and `ask` requests the world's resource.
 */
export async function plantClients(
  { account, actor, resource, startSession, ask }: AccessWorld,
  count: number,
  fields: Partial<ClientRow> = {},
) {
  const planted = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const at = timestamp(clock.now())
      const stamps = { inserted_at: at, updated_at: at }
      const tokenId = uuidV7(clock.now())
      const { token, ...stored } = mintToken('client', { accountId: account.id, ownerId: actor.id, tokenId })
      const tokenRow: ClientTokenRow = {
        id: tokenId,
        actor_id: actor.id,
        auth_provider_id: null,
        expires_at: '2099-01-01T00:00:00.000000Z',
        ...stored,
        ...stamps,
      }
      const row: ClientRow = {
        ...bareClient,
        id: uuidV7(clock.now()),
        actor_id: actor.id,
        name: `Client ${i}`,
        svc_id: randomBytes(8).toString('hex'),
        ipv4: `100.96.${i >> 8}.${i & 255}`,
        ipv6: `fd00::${i.toString(16)}`,
        ...stamps,
        ...fields,
      }
      const session = { svc_id: row.svc_id, public_key: publicKey() }
      return {
        items: [
          rowItem(clientTokens, account.id, tokenRow),
          rowItem(clients, account.id, row),
          ...uniqueItems(clients, account.id, row),
        ],
        client: {
          id: row.id,
          tokenId,
          token,
          start: (fields: Record<string, unknown> = {}) => startSession({ ...session, ...fields }, { token }),
          ask: () => ask({ resource_id: resource.id }, { token }),
        },
      }
    }),
  )
  await plantItems(planted.flatMap(({ items }) => items))
  return planted.map(({ client }) => client)
}
