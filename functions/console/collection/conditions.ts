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

const days = 'MTWRFSU'

/** Returns the values of a time condition in words, with equal days together: "Mon–Fri 09:00–17:00; Sat all day". */
export function timesText(values: string[]): string {
  const spans: Array<{ first: number; last: number; hours: string }> = []
  for (const value of values) {
    const [day = '', ranges = ''] = value.split('/')
    const hours = ranges === 'true' ? texts.wholeDay : ranges.replaceAll('-', '–').replaceAll(',', ', ')
    const [index, span] = [days.indexOf(day), spans.at(-1)]
    if (span?.hours === hours && span.last === index - 1) span.last = index
    else spans.push({ first: index, last: index, hours })
  }
  const name = (index: number) => texts.weekdays[index]
  return spans
    .map(({ first, last, hours }) => `${name(first)}${last > first ? `–${name(last)}` : ''} ${hours}`)
    .join('; ')
}

function valuesText({ property, values }: Condition, providerName: (id: string) => string): string {
  if (property === 'remote_ip_location_region') return texts.joined(values.map(texts.region))
  if (property === 'auth_provider_id') return texts.joined(values.map(providerName))
  if (property !== 'current_utc_datetime') return texts.joined(values)
  const byZone = Object.groupBy(values, (value) => value.split('/').slice(2).join('/'))
  return Object.entries(byZone)
    .map(([zone, some = []]) => `${timesText(some)} (${zone})`)
    .join('; ')
}

/** Returns a condition as a sentence, with the names of sign-in providers where they are known. */
export function conditionText(condition: Condition, providerName = (id: string) => id): string {
  const { property, operator, values } = condition
  if (property === 'client_verified')
    return /^(true|1)$/.test(values[0] ?? '') ? optionOf('property', property) : texts.anyClient
  return `${optionOf('property', property)} ${optionOf('operator', operator)} ${valuesText(condition, providerName)}`
}
