import { optionOf, texts } from '../texts/texts.ts'

export type Condition = { property: string; operator: string; values: string[] }

/** Operators of each property of a condition (A17.1). The first is the default. */
export const operatorsOf: Record<string, readonly string[]> = {
  remote_ip_location_region: ['is_in', 'is_not_in'],
  remote_ip: ['is_in_cidr', 'is_not_in_cidr'],
  auth_provider_id: ['is_in', 'is_not_in'],
  current_utc_datetime: ['is_in_day_of_week_time_ranges'],
  client_verified: ['is'],
}

const days: Record<string, string> = { M: 'Mon', T: 'Tue', W: 'Wed', R: 'Thu', F: 'Fri', S: 'Sat', U: 'Sun' }

/** Returns a value of a time condition in words: `M/09:00-17:00/Europe/Warsaw` is "Mon 09:00–17:00". */
export function timeText(value: string): string {
  const [day = '', ranges = ''] = value.split('/')
  const hours = ranges === 'true' ? texts.wholeDay : ranges.replaceAll('-', '–').replaceAll(',', ', ')
  return `${days[day] ?? day} ${hours}`
}

function valuesText({ property, values }: Condition, providerName: (id: string) => string): string {
  if (property === 'remote_ip_location_region') return texts.joined(values.map(texts.region))
  if (property === 'auth_provider_id') return texts.joined(values.map(providerName))
  if (property !== 'current_utc_datetime') return texts.joined(values)
  const zone = values[0]?.split('/').slice(2).join('/') ?? ''
  return `${values.map(timeText).join('; ')} (${zone})`
}

/** Returns a condition as a sentence, with the names of sign-in providers where they are known. */
export function conditionText(condition: Condition, providerName = (id: string) => id): string {
  const { property, operator, values } = condition
  if (property === 'client_verified')
    return /^(true|1)$/.test(values[0] ?? '') ? optionOf('property', property) : texts.anyClient
  return `${optionOf('property', property)} ${optionOf('operator', operator)} ${valuesText(condition, providerName)}`
}
