import { clientSessionPointer } from '#shared/access/client-presence.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import type { ClientTokenRow } from '#shared/domain/client-tokens/client-token.ts'
import { leaseEnd } from '#shared/domain/sessions/lease.ts'
import { presenceItem } from '#shared/domain/sessions/presence.ts'
import type { AccessWorld } from '../access/access.ts'
import { publicKey } from '../access/public-key.ts'
import { plantClients } from './plant-clients.ts'
import { plantItems } from './plant-rows.ts'

export async function plantSessions(world: AccessWorld, count: number): Promise<{ token: string; id: string }[]> {
  const account = world.account.id
  const planted = (await plantClients(world, count)).map(({ id, tokenId, token }) => {
    const now = clock.now()
    const session_id = uuidV7(now)
    const presence = {
      session_id,
      lease_expires_at: leaseEnd(now),
      token_id: tokenId,
      public_key: publicKey(),
      // Leaves the fingerprint empty, so that the first request evaluates the conditions.
      tested: '',
      last_seen_at: timestamp(now),
      last_seen_version: '1.4.0',
      last_seen_remote_ip: '127.0.0.1',
    }
    const row = { id: tokenId, expires_at: '2099-01-01T00:00:00.000000Z' } as ClientTokenRow
    return {
      items: [presenceItem(account, 'clients', id, presence), clientSessionPointer(account, row, session_id, id)],
      session: { token, id: session_id },
    }
  })
  await plantItems(planted.flatMap(({ items }) => items))
  return planted.map(({ session }) => session)
}
