import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import type { Account } from './account.ts'
import { insertRow } from './rows.ts'

export const insertSyncedGroup = ({ id }: Pick<Account, 'id'>, fields: Partial<GroupRow> = {}) =>
  insertRow(id, groups, {
    ...nativeGroup,
    name: 'Synced',
    entity_type: 'org_unit',
    directory_id: '0198a000-0000-7000-8000-00000000d1d1',
    idp_id: 'unit-7',
    ...fields,
  })
