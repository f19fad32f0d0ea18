import * as v from 'valibot'
import { field } from '../../values/field.ts'
import { Bool, NullableText, Uuid } from '../../values/fields.ts'
import { maxConditions } from './condition-properties.ts'
import { conditionSchema } from './condition-schema.ts'
import { type Condition, checkConditions } from './conditions.ts'

const Conditions = field<Condition[]>(
  (input) => {
    const checked = checkConditions(input)
    if ('conditions' in checked) return { value: checked.conditions }
    const relative = Object.entries(checked.errors).map(([path, messages]) => [
      path.replace(/^conditions\.?/, ''),
      messages,
    ])
    return { errors: Object.fromEntries(relative) }
  },
  {
    type: 'array',
    maxItems: maxConditions,
    items: conditionSchema,
  },
)

/** What can be set on a policy (A16.2). */
export const PolicyFields = v.object({
  group_id: Uuid,
  resource_id: Uuid,
  description: v.optional(NullableText(1024)),
  conditions: v.optional(Conditions),
  flow_log_uploads_enabled: v.optional(Bool),
  is_disabled: v.optional(Bool),
})
export type PolicyInput = v.InferOutput<typeof PolicyFields>
