import { clock } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { presenceItem, toLastSeen } from '#shared/domain/sessions/presence.ts'
import { publicKey } from '../access/public-key.ts'
import type { Account } from '../accounts/account.ts'
import { plantItems, plantRows } from './plant-rows.ts'

export const plantGroups = (account: Account, count: number): Promise<GroupRow[]> =>
  plantRows<GroupRow>(account.id, groups, count, (i) => ({ name: `Group ${i}`, ...nativeGroup }), [])

export async function plantOnlineClients(account: Account, count: number): Promise<ClientRow[]> {
  const planted = await plantRows<ClientRow>(
    account.id,
    clients,
    count,
    (i) => ({
      actor_id: account.admin.id,
      name: `Laptop ${i}`,
      ipv4: `100.64.1.${i}`,
      ipv6: `fd00:2021:1111::${i.toString(16)}`,
      svc_id: `laptop-${i}`,
      verified_at: null,
      hostname: `laptop-${i}.example.com`,
      device_serial: `SERIAL${i}`,
      device_uuid: uuidV7(clock.now()),
      identifier_for_vendor: null,
      push_installation_id: null,
      os_name: 'macOS',
      os_version: '15.2',
    }),
    [],
  )
  const now = clock.now()
  const origin = {
    ip: '192.0.2.1',
    ip_region: null,
    ip_city: null,
    ip_lat: null,
    ip_lon: null,
    user_agent: 'client/1.4.0',
  }
  await plantItems(
    planted.map(({ id }) =>
      presenceItem(account.id, 'clients', id, {
        session_id: uuidV7(now),
        lease_expires_at: now + 3_600_000_000,
        token_id: uuidV7(now),
        public_key: publicKey(),
        tested: 'tested',
        ...toLastSeen(origin, '1.4.0', now),
      }),
    ),
  )
  return planted
}
