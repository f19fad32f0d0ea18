import { type Fault, faultsAt, type Path } from '../../../core/faults.ts'
import { checkObjects, type FieldResult, field, type JsonSchema, maxKeys } from '../../../values/field.ts'
import { mustBeOneOf } from '../../../values/fields.ts'
import { isLonger } from '../../../values/text.ts'
import { authProviderId } from './auth-provider-id.ts'
import { clientVerified } from './client-verified.ts'
import type { ConditionContext, ConditionProperty, ConditionTest } from './condition-property.ts'
import { currentUtcDatetime } from './current-utc-datetime.ts'
import { remoteIp } from './remote-ip.ts'
import { remoteIpLocationRegion } from './remote-ip-location-region.ts'

export type { ConditionContext } from './condition-property.ts'

const conditionProperties = [remoteIpLocationRegion, remoteIp, authProviderId, currentUtcDatetime, clientVerified]
const propertyNames = conditionProperties.map(({ name }) => name)
const allOperators = [...new Set(conditionProperties.flatMap(({ operators }) => operators))]
const findProperty = (name: string) => conditionProperties.find((property) => property.name === name)

const quoteAll = (operators: readonly string[]) => operators.map((operator) => `\`${operator}\``).join(', ')

/** Description of the operators and the values that they compare, used in the API reference. */
export const operatorText = [...Map.groupBy(conditionProperties, ({ operators }) => quoteAll(operators))]
  .map(([operators, properties]) => `${operators} for ${properties.map(({ values }) => values).join(' and ')}`)
  .join('; ')

/** Defaults of the members that a condition may omit (A17.1(2)). */
const defaults = { property: 'remote_ip_location_region', operator: 'is_in' }

const maxConditions = conditionProperties.length
const maxValues = 1_000
const maxValueLength = 4_000

export type Condition = { property: string; operator: string; values: string[] }

/** Checks the conditions of a policy (A17.1). Returns the conditions to store, or validation faults for the field and for `base`. */
const checkConditions = (raw: unknown): FieldResult<Condition[]> =>
  checkObjects(raw, maxConditions, checkCondition, (conditions) => {
    const properties = new Set(conditions.map(({ property }) => property))
    const isRepeated = properties.size < conditions.length
    return isRepeated ? [{ path: ['base'], message: 'only one condition per property is allowed' }] : []
  })

function checkCondition(item: Record<string, unknown>, path: Path, faults: Fault[]): Condition | undefined {
  // Applies the default to an omitted member. A blank member is an error (A6.4, A17.1(2)).
  const read = (name: 'property' | 'operator', members: readonly string[]): string | undefined => {
    const { [name]: sent = defaults[name] } = item
    const text = typeof sent === 'string' ? sent.trim() : sent
    const found = members.find((member) => member === text)
    if (found === undefined) {
      const message = text === null || text === '' ? "can't be blank" : mustBeOneOf(members)
      faults.push({ path: [...path, name], message })
    }
    return found
  }
  const property = read('property', propertyNames)
  const rule = property === undefined ? undefined : findProperty(property)
  const operator = read('operator', rule?.operators ?? allOperators)
  const values = checkValues(item.values, rule)
  if ('messages' in values) faults.push(...faultsAt([...path, 'values'], values.messages))
  if (property === undefined) return undefined
  return { property, operator: operator ?? '', values: 'values' in values ? values.values : [] }
}

function checkValues(raw: unknown, rule: ConditionProperty | undefined): { values: string[] } | { messages: string[] } {
  if (raw === undefined || raw === null) return { messages: ["can't be blank"] }
  if (!Array.isArray(raw)) return { messages: ['must be a list'] }
  if (rule?.single && raw.length !== 1) return { messages: ['should have 1 item(s)'] }
  if (raw.length === 0) return { messages: ['should have at least 1 item(s)'] }
  if (raw.length > maxValues) return { messages: [`should have at most ${maxValues} item(s)`] }
  const values = raw.map((value) => (typeof value === 'string' ? value.trim() : value))
  const refuse = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || value === '' || value.includes('\0')) return rule?.message ?? 'is invalid'
    return isLonger(value, maxValueLength) ? `should be at most ${maxValueLength} character(s)` : rule?.refuse(value)
  }
  const messages = values.map(refuse).filter((message) => message !== undefined)
  if (new Set(values).size < values.length) messages.push('should not contain duplicates')
  return messages.length > 0 ? { messages: [...new Set(messages)] } : { values }
}

/** JSON Schema of a condition. The property determines which operators and values are valid (A17.1). */
const conditionSchema: JsonSchema = {
  type: 'object',
  maxProperties: maxKeys,
  required: ['values'],
  properties: {
    property: { type: 'string', enum: propertyNames, default: defaults.property },
    operator: { type: 'string', enum: allOperators, default: defaults.operator },
    values: {
      type: 'array',
      minItems: 1,
      maxItems: maxValues,
      uniqueItems: true,
      items: { type: 'string', maxLength: maxValueLength },
    },
  },
  anyOf: conditionProperties.map(({ name, operators, form, single }) => ({
    required: [
      ...(name === defaults.property ? [] : ['property']),
      ...(operators.includes(defaults.operator) ? [] : ['operator']),
    ],
    properties: {
      property: { enum: [name] },
      operator: { enum: operators },
      values: { items: { type: 'string', ...form }, ...(single && { maxItems: 1 }) },
    },
  })),
}

export const Conditions = field<Condition[]>(checkConditions, {
  type: 'array',
  maxItems: maxConditions,
  items: conditionSchema,
})

export type ConditionResult = { conforms: true; until: number | null } | { conforms: false; violated: string[] }

const tests = new WeakMap<Condition, ConditionTest>()

/** Returns the test function of a stored condition. The weak map keeps the function for as long as the condition is in memory. */
function findTest(condition: Condition): ConditionTest {
  const { property, operator, values } = condition
  const test = tests.get(condition) ?? findProperty(property)?.parse(values, operator) ?? (() => false)
  tests.set(condition, test)
  return test
}

/**
 * Evaluates a condition at a time in microseconds. `until` is the time at which the condition stops holding, or null if there is no such
 * time.
 */
export function evaluateCondition(condition: Condition, context: ConditionContext, at: number) {
  const result = findTest(condition)(context, at)
  return { condition, passed: result !== false, until: typeof result === 'number' ? result : null }
}

/** Evaluates the conditions of a policy, which must all hold (A17.3). `until` is the earliest time at which a condition stops holding. */
export function evaluateConditions(conditions: Condition[], context: ConditionContext, at: number): ConditionResult {
  const results = conditions.map((condition) => evaluateCondition(condition, context, at))
  const violated = results.filter(({ passed }) => !passed).map(({ condition }) => condition.property)
  if (violated.length > 0) return { conforms: false, violated }
  const ends = results.flatMap(({ until }) => (until === null ? [] : [until]))
  return { conforms: true, until: ends.length > 0 ? Math.min(...ends) : null }
}

const noContext: ConditionContext = { client: null, subject: { ip: null, ip_region: null, auth_provider_id: null } }

/** Evaluates only the conditions that can be evaluated without a client, for people or for service accounts. */
export const evaluateDecidable = (conditions: Condition[], person: boolean, at: number): ConditionResult =>
  evaluateConditions(
    conditions.filter(({ property }) => findProperty(property)?.isDecidable(person)),
    noContext,
    at,
  )

/** Serializes the facts that conditions evaluate. While the string is unchanged, only time conditions can change their result. */
export const fingerprint = (context: ConditionContext): string =>
  JSON.stringify(conditionProperties.map(({ fact }) => fact(context)))
