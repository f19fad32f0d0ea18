import type { FieldErrors } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { isObject } from '../../core/is-object.ts'
import { parseRange } from '../../values/ip.ts'
import { isLonger } from '../../values/is-longer.ts'
import { regionCodes } from '../../values/regions.ts'
import { tooManyKeys } from '../../values/too-many-keys.ts'
import { hasTooManyRanges, parseDayRanges } from './time-ranges.ts'

export type Condition = { property: string; operator: string; values: string[] }

type Rule = { operators: string[]; refuse: (value: string) => string | undefined }

/** The properties of A17.1, each with its operators and the form of its values. */
const rules: Record<string, Rule> = {
  remote_ip_location_region: {
    operators: ['is_in', 'is_not_in'],
    refuse: (value) => (regionCodes.has(value) ? undefined : 'has an invalid entry'),
  },
  remote_ip: {
    operators: ['is_in_cidr', 'is_not_in_cidr'],
    refuse: (value) => (parseRange(value) ? undefined : 'is invalid'),
  },
  auth_provider_id: {
    operators: ['is_in', 'is_not_in'],
    refuse: (value) => (isUuid(value) ? undefined : 'is invalid'),
  },
  current_utc_datetime: {
    operators: ['is_in_day_of_week_time_ranges'],
    refuse: (value) => {
      if (hasTooManyRanges(value)) return 'has too many time ranges'
      const parsed = parseDayRanges(value)
      return 'message' in parsed ? parsed.message : undefined
    },
  },
  client_verified: {
    operators: ['is'],
    refuse: (value) => (['true', 'false', '1', '0'].includes(value) ? undefined : 'is invalid'),
  },
}

/** One a property. */
export const maxConditions = Object.keys(rules).length
export const maxValues = 1_000
export const maxValueLength = 4_000

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
  const property = word(Object.hasOwn(item, 'property') ? item.property : undefined, 'remote_ip_location_region')
  const operator = word(Object.hasOwn(item, 'operator') ? item.operator : undefined, 'is_in')
  const rule = 'word' in property && Object.hasOwn(rules, property.word) ? rules[property.word] : undefined
  if (!rule) errors[`${path}.property`] = ['message' in property ? property.message : 'is invalid']
  const operators = rule?.operators ?? Object.values(rules).flatMap((other) => other.operators)
  if ('message' in operator) errors[`${path}.operator`] = [operator.message]
  else if (!operators.includes(operator.word)) errors[`${path}.operator`] = ['is invalid']
  const values = checkValues(item.values, rule, 'word' in property && property.word === 'client_verified')
  if ('messages' in values) errors[`${path}.values`] = values.messages
  if (!('word' in property) || !rule) return undefined
  return {
    property: property.word,
    operator: 'word' in operator ? operator.word : '',
    values: 'values' in values ? values.values : [],
  }
}

function checkValues(
  raw: unknown,
  rule: Rule | undefined,
  single: boolean,
): { values: string[] } | { messages: string[] } {
  if (raw === undefined || raw === null) return { messages: ["can't be blank"] }
  if (!Array.isArray(raw)) return { messages: ['is invalid'] }
  if (single && raw.length !== 1) return { messages: ['should have 1 item(s)'] }
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
