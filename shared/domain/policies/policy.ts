import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'
import type { Condition } from './conditions.ts'

export type PolicyRow = Row & {
  /** Null when the group is gone: the policy is orphaned and grants nothing. */
  group_id: string | null
  /** The group's identifier at its provider, remembered so that a sync can relink an orphaned policy (I4.6). */
  group_idp_id: string | null
  /** Kind and issuer of the directory of the group that an orphaned policy has lost; internal. */
  group_idp_provider: string | null
  resource_id: string
  description: string | null
  conditions: Condition[]
  flow_log_uploads_enabled: boolean
  is_disabled: boolean
}

export const policies = entity<PolicyRow>({
  name: 'policies',
  defaults: { group_id: null, group_idp_id: null, group_idp_provider: null, description: null, is_disabled: false },
  unique: { 'policies.grant': (row) => (row.group_id ? `${row.group_id}#${row.resource_id}` : null) },
  edges: {
    group_id: { value: (row) => row.group_id, counted: true },
    resource_id: { value: (row) => row.resource_id, counted: true },
  },
})

/** A policy as the API shows it (A16.1). */
export const Policy = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  resource_id: v.string(),
  description: v.nullable(v.string()),
  conditions: v.array(v.object({ property: v.string(), operator: v.string(), values: v.array(v.string()) })),
  flow_log_uploads_enabled: v.boolean(),
  is_disabled: v.boolean(),
})
