import * as v from 'valibot'
import { field } from '../values/field.ts'
import { Timestamp, Uuid } from '../values/fields.ts'
import { formatIp, parseIp } from '../values/ip.ts'
import { orNull } from '../values/or-null.ts'
import { mustBeRegion, regionCodes } from '../values/regions.ts'
import { truncatedPolicies } from './row-grants.ts'

const Ip = field<string>(
  (input) => {
    const ip = typeof input === 'string' ? parseIp(input.trim()) : null
    return ip ? { value: formatIp(ip) } : { message: 'must be an IPv4 or IPv6 address' }
  },
  { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
)

const Region = field<string>(
  (input) =>
    typeof input === 'string' && regionCodes.has(input.trim()) ? { value: input.trim() } : { message: mustBeRegion },
  { type: 'string', enum: [...regionCodes] },
)

/** The question: who wants to reach what, in which circumstances (P6). Null means the default. */
export const EvaluationFields = v.object({
  actor_id: Uuid,
  resource_id: Uuid,
  at: v.optional(orNull(Timestamp)),
  ip: v.optional(orNull(Ip)),
  region: v.optional(orNull(Region)),
  auth_provider_id: v.optional(orNull(Uuid)),
  client_id: v.optional(orNull(Uuid)),
})
export type EvaluationInput = v.InferOutput<typeof EvaluationFields>

/** The answer: what would be decided, and why (P6). */
export const Evaluation = v.object({
  decision: v.picklist(['allow', 'deny']),
  reason: v.nullable(v.picklist(['actor_disabled', 'not_connectable', 'no_policy', 'conditions_violated'])),
  violated: v.array(v.string()),
  policy_id: v.nullable(v.string()),
  expires_at: v.nullable(v.string()),
  gateway_online: v.boolean(),
  evaluated_at: v.string(),
  policies: v.array(
    v.object({
      id: v.string(),
      group_id: v.nullable(v.string()),
      is_disabled: v.boolean(),
      conforms: v.boolean(),
      expires_at: v.nullable(v.string()),
      conditions: v.array(
        v.object({
          property: v.string(),
          operator: v.string(),
          values: v.array(v.string()),
          passed: v.boolean(),
          until: v.nullable(v.string()),
        }),
      ),
    }),
  ),
  truncated: truncatedPolicies,
})
export type Evaluation = v.InferOutput<typeof Evaluation>
