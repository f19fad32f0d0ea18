import type { Operations } from '../../client/api-types.ts'
import type { Condition } from '../../collection/conditions.ts'

export type Evaluation = Operations['POST /access/evaluate']['answer']['data']
export type EvaluatedPolicy = Evaluation['policies'][number]

/** Circumstances of a client that are known, by the property of a condition. */
export type Circumstances = Partial<Record<string, string>>

/** Removes the results of an evaluation from conditions. */
export const plainConditions = ({ conditions }: EvaluatedPolicy): Condition[] =>
  conditions.map(({ property, operator, values }) => ({ property, operator, values }))

/**
 * Returns the conditions that would admit the circumstances: the value is added to those that are required, or removed from those that are
 * excluded. A condition that cannot be widened so is left out.
 */
export const widenedConditions = ({ conditions }: EvaluatedPolicy, known: Circumstances): Condition[] =>
  conditions.flatMap(({ property, operator, values, passed }) => {
    if (passed) return [{ property, operator, values }]
    const value = known[property]
    if (value === undefined) return []
    if (operator === 'is_in' || operator === 'is_in_cidr') return [{ property, operator, values: [...values, value] }]
    const rest = values.filter((one) => one !== value)
    return rest.length > 0 && rest.length < values.length ? [{ property, operator, values: rest }] : []
  })
