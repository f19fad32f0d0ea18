import { clients } from '../clients/client.ts'
import type { MemberSet } from '../member-sets/member-set.ts'
import { resources } from '../resources/resource.ts'
import { type PoolMemberRow, poolMembers } from './pool-member.ts'

/** The clients of a device pool as a set. */
export const pool: MemberSet<PoolMemberRow> = {
  entity: poolMembers,
  owners: resources.name,
  members: clients.name,
  key: 'device_id',
  envelope: 'pool_members',
  noun: 'device',
  row: (resource_id, device_id) => ({ resource_id, device_id }),
}
