import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { entity, type Row } from '../../table/entity.ts'
import { Bool, NullableText, Uuid } from '../../values/fields.ts'
import { Conditions } from './conditions/conditions.ts'

/** A policy. A policy without a group is orphaned and grants no access. */
export type PolicyRow = Row &
  v.InferOutput<typeof Policy> & {
    /** Id of the group at its provider, stored so that a sync run can relink an orphaned policy (I4.6). */
    group_idp_id: string | null
    /** Kind and issuer of the directory that provided an orphaned policy's former group. Not part of API responses. */
    group_idp_provider: string | null
  }

/** Counter of the policies without a group. */
export const orphanedCounter = 'policies.orphaned'

export const policies = entity<PolicyRow>({
  name: 'policies',
  defaults: { group_id: null, group_idp_id: null, group_idp_provider: null, description: null, is_disabled: false },
  unique: { 'policies.grant': (row) => (row.group_id ? `${row.group_id}#${row.resource_id}` : null) },
  indexes: {
    group_id: { value: (row) => row.group_id, counted: true },
    resource_id: { value: (row) => row.resource_id, counted: true },
  },
  counters: (row) => (row.group_id === null ? [orphanedCounter] : []),
})

/** Policy in API responses (A16.1). */
export const Policy = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  resource_id: v.string(),
  description: v.nullable(v.string()),
  conditions: v.array(v.object({ property: v.string(), operator: v.string(), values: v.array(v.string()) })),
  flow_log_uploads_enabled: v.boolean(),
  is_disabled: v.boolean(),
})

/** Fields of a policy that a request can set (A16.2). */
export const PolicyFields = v.object({
  group_id: Uuid,
  resource_id: Uuid,
  description: v.optional(NullableText(1024)),
  conditions: v.optional(Conditions),
  flow_log_uploads_enabled: v.optional(Bool),
  is_disabled: v.optional(Bool),
})
export type PolicyInput = v.InferOutput<typeof PolicyFields>

/** Stages the deletion of a policy. This also ends the authorizations that the policy granted (A29). */
export function deletePolicy(transaction: Transaction, policy: PolicyRow): void {
  transaction.delete(policies, policy)
  transaction.revoke({ by: 'policy', id: policy.id })
}
