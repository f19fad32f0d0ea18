import type { FieldErrors } from '../../core/errors.ts'
import { isObject } from '../../core/json/is-object.ts'
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
  if (!Array.isArray(raw)) return { errors: { conditions: ['is invalid'] } }
  if (raw.length > maxConditions) return { errors: { conditions: [`should have at most ${maxConditions} item(s)`] } }
  const errors: FieldErrors = {}
  const conditions = raw.map((item, i) => checkCondition(item, `conditions.${i}`, errors))
  const properties = conditions.flatMap((condition) => (condition ? [condition.property] : []))
  if (new Set(properties).size < properties.length) errors.base = ['only one condition per property is allowed']
  return Object.keys(errors).length > 0
    ? { errors }
    : { conditions: conditions.filter((condition) => condition !== undefined) }
}

/** An omitted part means its default; a blank one is missing (A6.4, A17.1(2)). */
function word(value: unknown, fallback: string): { word: string } | { message: string } {
  if (value === undefined) return { word: fallback }
  if (value === null || (typeof value === 'string' && value.trim() === '')) return { message: "can't be blank" }
  return typeof value === 'string' ? { word: value.trim() } : { message: 'is invalid' }
}

function checkCondition(item: unknown, path: string, errors: FieldErrors): Condition | undefined {
  if (!isObject(item)) {
    errors[path] = ['is invalid']
    return undefined
  }
  const crowded = tooManyKeys(item)
  if (crowded !== null) {
    errors[path] = [crowded]
    return undefined
  }
  const property = word(Object.hasOwn(item, 'property') ? item.property : undefined, conditionDefaults.property)
  const operator = word(Object.hasOwn(item, 'operator') ? item.operator : undefined, conditionDefaults.operator)
  const rule =
    'word' in property && Object.hasOwn(conditionProperties, property.word)
      ? conditionProperties[property.word]
      : undefined
  if (!rule) errors[`${path}.property`] = ['message' in property ? property.message : 'is invalid']
  const operators = rule?.operators ?? Object.values(conditionProperties).flatMap((other) => other.operators)
  if ('message' in operator) errors[`${path}.operator`] = [operator.message]
  else if (!operators.includes(operator.word)) errors[`${path}.operator`] = ['is invalid']
  const values = checkValues(item.values, rule)
  if ('messages' in values) errors[`${path}.values`] = values.messages
  if (!('word' in property) || !rule) return undefined
  return {
    property: property.word,
    operator: 'word' in operator ? operator.word : '',
    values: 'values' in values ? values.values : [],
  }
}

function checkValues(raw: unknown, rule: ConditionProperty | undefined): { values: string[] } | { messages: string[] } {
  if (raw === undefined || raw === null) return { messages: ["can't be blank"] }
  if (!Array.isArray(raw)) return { messages: ['is invalid'] }
  if (rule?.single && raw.length !== 1) return { messages: ['should have 1 item(s)'] }
  if (raw.length === 0) return { messages: ['should have at least 1 item(s)'] }
  if (raw.length > maxValues) return { messages: [`should have at most ${maxValues} item(s)`] }
  const values = raw.map((value) => (typeof value === 'string' ? value.trim() : value))
  const refuse = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || value === '') return 'is invalid'
    if (isLonger(value, maxValueLength)) return `should be at most ${maxValueLength} character(s)`
    return value.includes('\0') ? 'is invalid' : rule?.refuse(value)
  }
  const messages = values.map(refuse).filter((message) => message !== undefined)
  if (new Set(values).size < values.length) messages.push('should not contain duplicates')
  return messages.length > 0 ? { messages: [...new Set(messages)] } : { values }
}
