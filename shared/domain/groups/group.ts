import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { entity } from '../../table/entity.ts'
import { Text } from '../../values/fields.ts'

export type GroupRow = v.InferOutput<typeof Group> & {
  /** Kind and issuer of the directory that assigned `idp_id`. Not part of API responses. */
  idp_provider: string | null
  /** True for the account's group "Everyone", whose members are computed (A15). */
  is_managed: boolean
}

export const nativeGroup = {
  entity_type: 'group',
  directory_id: null,
  idp_id: null,
  idp_provider: null,
  email: null,
  synced_at: null,
  is_managed: false,
} as const

export const groups = entity<GroupRow>({
  name: 'groups',
  defaults: nativeGroup,
  unique: {
    'groups.name': (row) => (row.idp_id === null ? row.name : null),
    'groups.idp_id': (row) => row.idp_id,
    'groups.managed': (row) => (row.is_managed ? 'everyone' : null),
  },
  indexes: {
    name: { value: (row) => row.name, counted: true },
    directory_id: { value: (row) => row.directory_id ?? 'none', counted: true },
    entity_type: { value: (row) => row.entity_type, counted: true },
  },
  unlogged: ['synced_at'],
})

/** Group in API responses (A14.1). */
export const Group = v.object({
  id: v.string(),
  name: v.string(),
  entity_type: v.picklist(['group', 'org_unit']),
  directory_id: v.nullable(v.string()),
  idp_id: v.nullable(v.string()),
  email: v.nullable(v.string()),
  synced_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Fields of a group that a request can set (A14.2). */
export const GroupFields = v.object({ name: Text(255) })

/** Reads a group. Refuses the managed group Everyone. @throws ApiError 404, `managed_group` */
export async function unmanaged(transaction: Transaction, id: string): Promise<GroupRow> {
  const group = await transaction.existing(groups, id)
  if (group.is_managed) throw new ApiError('managed_group', 'The group Everyone is managed by the system.')
  return group
}
