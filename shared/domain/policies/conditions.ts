import type { FieldErrors } from '../../core/errors.ts'
import { isObject } from '../../core/json/is-object.ts'
import { mustBeOneOf } from '../../values/fields.ts'
import { isLonger } from '../../values/is-longer.ts'
import { tooManyKeys } from '../../values/too-many-keys.ts'
import {
  type ConditionProperty,
  conditionDefaults,
  conditionProperties,
  maxConditions,
  maxValueLength,
  maxValues,
} from './condition-properties.ts'

export type Condition = { property: string; operator: string; values: string[] }

/** The conditions of a policy as stored, or messages under `conditions…` and `base` (A17.1). */
export function checkConditions(raw: unknown): { conditions: Condition[] } | { errors: FieldErrors } {
  if (!Array.isArray(raw)) return { errors: { conditions: ['must be a list'] } }
  if (raw.length > maxConditions) return { errors: { conditions: [`should have at most ${maxConditions} item(s)`] } }
  const errors: FieldErrors = {}
  const conditions = raw.map((item, i) => checkCondition(item, `conditions.${i}`, errors))
  const properties = conditions.flatMap((condition) => (condition ? [condition.property] : []))
  if (new Set(properties).size < properties.length) errors.base = ['only one condition per property is allowed']
  return Object.keys(errors).length > 0
    ? { errors }
    : { conditions: conditions.filter((condition) => condition !== undefined) }
}

type Word = { word: string } | { message: string }

/** An omitted part means its default; a blank one is missing (A6.4, A17.1(2)). */
function word(value: unknown, fallback: string, members: readonly string[]): Word {
  if (value === undefined) return word(fallback, fallback, members)
  if (value === null || (typeof value === 'string' && value.trim() === '')) return { message: "can't be blank" }
  const found = typeof value === 'string' ? members.find((member) => member === value.trim()) : undefined
  return found === undefined ? { message: mustBeOneOf(members) } : { word: found }
}

const properties = Object.keys(conditionProperties)
const allOperators = [...new Set(Object.values(conditionProperties).flatMap(({ operators }) => operators))]

function checkCondition(item: unknown, path: string, errors: FieldErrors): Condition | undefined {
  if (!isObject(item)) {
    errors[path] = ['must be an object']
    return undefined
  }
  const crowded = tooManyKeys(item)
  if (crowded !== null) {
    errors[path] = [crowded]
    return undefined
  }
  const read = (name: 'property' | 'operator', members: readonly string[]): string | undefined => {
    const known = word(Object.hasOwn(item, name) ? item[name] : undefined, conditionDefaults[name], members)
    if ('word' in known) return known.word
    errors[`${path}.${name}`] = [known.message]
    return undefined
  }
  const property = read('property', properties)
  const rule = property === undefined ? undefined : conditionProperties[property]
  const operator = read('operator', rule?.operators ?? allOperators)
  const values = checkValues(item.values, rule)
  if ('messages' in values) errors[`${path}.values`] = values.messages
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
