import * as v from 'valibot'
import { entity } from '../table/entity.ts'
import { documented, field, withRules } from '../values/field.ts'
import { enumCast, TextCast, UuidCast } from './casts.ts'
import { castPortRange, overlapSortKey, portRangeSchema, ruleTargetOf, sizeCounter } from './overlap.ts'

const v0Actions = ['accept', 'drop'] as const
const v0PortTypes = ['tcp', 'udp'] as const

/** A firewall rule of the legacy API (`/v0` contract, 11.1). */
export type V0RuleRow = v.InferOutput<typeof V0Rule>

export const v0Rules = entity<V0RuleRow>({
  name: 'v0_rules',
  defaults: { port_type: null, port_range: null, user_id: null },
  indexes: {
    user_id: { value: (row) => row.user_id },
    overlap: { value: (row) => ruleTargetOf(row).group, sort: (row) => overlapSortKey(ruleTargetOf(row), row.id) },
  },
  counters: (row) => [sizeCounter(ruleTargetOf(row).network)],
})

const userText = 'Id of the user whose traffic the rule matches; null for all users.'

export const V0Rule = v.object({
  id: v.string(),
  action: v.picklist(v0Actions),
  destination: v.string(),
  port_type: v.nullable(v.picklist(v0PortTypes)),
  port_range: v.nullable(v.string()),
  user_id: v.nullable(v.pipe(v.string(), v.description(userText))),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Fields of an update. Action and destination cannot be cleared. */
const changes = {
  action: v.optional(
    documented(enumCast(v0Actions, 'drop'), { type: 'string', enum: [...v0Actions, ''], default: 'drop' }),
  ),
  destination: v.optional(documented(TextCast, { type: 'string', pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' })),
  port_type: v.optional(enumCast(v0PortTypes)),
  port_range: v.optional(field<string | null>(castPortRange, portRangeSchema)),
  user_id: v.optional(documented(UuidCast, { description: userText })),
}

export const V0RuleChanges = v.object(changes)

/** Fields of a new rule, which has both a port type and a port range, or neither. */
export const V0RuleFields = withRules(changes, {
  required: ['destination'],
  anyOf: [
    { properties: { port_type: { enum: [null, ''] }, port_range: { type: 'null' } } },
    {
      required: ['port_type', 'port_range'],
      properties: { port_type: { enum: v0PortTypes }, port_range: { type: ['string', 'array'], minLength: 1 } },
    },
  ],
})

export type V0RuleInput = v.InferOutput<typeof V0RuleFields>
