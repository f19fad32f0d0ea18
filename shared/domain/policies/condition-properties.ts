import { isUuid } from '../../core/ids.ts'
import type { JsonSchema } from '../../values/field.ts'
import { mustBeOneOf, mustBeUuid } from '../../values/fields.ts'
import { parseRange } from '../../values/ip.ts'
import { mustBeRegion, regionCodes } from '../../values/regions.ts'
import { hasTooManyRanges, mustBeDayRanges, parseDayRanges } from './time-ranges.ts'

export type ConditionProperty = {
  operators: readonly string[]
  /** The message for a value of another form. */
  message: string
  /** Returns the message for a value that is not allowed. */
  refuse: (value: string) => string | undefined
  /** The form of a value as the reference documents it. */
  form: JsonSchema
  /** It takes one value alone. */
  single?: boolean
}

const time = '([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9](\\.[0-9]+)?)?)?'
const dayRanges = `^[MTWRFSU]/(true|${time}-${time}(,${time}-${time})*)?/[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`
const truths = ['true', 'false', '1', '0']
const mustBeRange = 'must be an IP address or a CIDR range, for example 192.0.2.0/24'

/** The properties of A17.1, each with its operators and the form of its values. */
export const conditionProperties: Record<string, ConditionProperty> = {
  remote_ip_location_region: {
    operators: ['is_in', 'is_not_in'],
    message: mustBeRegion,
    refuse: (value) => (regionCodes.has(value) ? undefined : mustBeRegion),
    form: { enum: [...regionCodes] },
  },
  remote_ip: {
    operators: ['is_in_cidr', 'is_not_in_cidr'],
    message: mustBeRange,
    refuse: (value) => (parseRange(value) ? undefined : mustBeRange),
    form: { pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' },
  },
  auth_provider_id: {
    operators: ['is_in', 'is_not_in'],
    message: mustBeUuid,
    refuse: (value) => (isUuid(value) ? undefined : mustBeUuid),
    form: { format: 'uuid' },
  },
  current_utc_datetime: {
    operators: ['is_in_day_of_week_time_ranges'],
    message: mustBeDayRanges,
    refuse: (value) => {
      if (hasTooManyRanges(value)) return 'has too many time ranges'
      const parsed = parseDayRanges(value)
      return 'message' in parsed ? parsed.message : undefined
    },
    form: { pattern: dayRanges },
  },
  client_verified: {
    operators: ['is'],
    message: mustBeOneOf(truths),
    refuse: (value) => (truths.includes(value) ? undefined : mustBeOneOf(truths)),
    form: { enum: truths },
    single: true,
  },
}

/** What parts that are left out stand for (A17.1(2)). */
export const conditionDefaults = { property: 'remote_ip_location_region', operator: 'is_in' }

/** One a property. */
export const maxConditions = Object.keys(conditionProperties).length
export const maxValues = 1_000
export const maxValueLength = 4_000
