import type { JsonSchema } from '../../values/field.ts'
import { regionCodes } from '../../values/regions.ts'
import { maxKeys } from '../../values/too-many-keys.ts'
import { maxValueLength, maxValues } from './conditions.ts'

const time = '([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9](\\.[0-9]+)?)?)?'
const dayRanges = `^[MTWRFSU]/(true|${time}-${time}(,${time}-${time})*)?/[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`

type Row = { property: string; operators: readonly string[]; values: JsonSchema; more?: JsonSchema }

const isIn = ['is_in', 'is_not_in']
const rows: Row[] = [
  { property: 'remote_ip_location_region', operators: isIn, values: { enum: [...regionCodes] } },
  {
    property: 'remote_ip',
    operators: ['is_in_cidr', 'is_not_in_cidr'],
    values: { pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' },
  },
  { property: 'auth_provider_id', operators: isIn, values: { format: 'uuid' } },
  {
    property: 'current_utc_datetime',
    operators: ['is_in_day_of_week_time_ranges'],
    values: { pattern: dayRanges },
  },
  {
    property: 'client_verified',
    operators: ['is'],
    values: { enum: ['true', 'false', '1', '0'] },
    more: { maxItems: 1 },
  },
]

/** The defaults of parts that are left out (A17.1(2)). */
const defaults = { property: 'remote_ip_location_region', operator: 'is_in' }

/** A condition as the reference documents it: the operators and the form of the values follow from the property (A17.1). */
export const conditionSchema: JsonSchema = {
  type: 'object',
  maxProperties: maxKeys,
  required: ['values'],
  properties: {
    property: { type: 'string', enum: rows.map(({ property }) => property), default: defaults.property },
    operator: {
      type: 'string',
      enum: [...new Set(rows.flatMap(({ operators }) => operators))],
      default: defaults.operator,
    },
    values: {
      type: 'array',
      minItems: 1,
      maxItems: maxValues,
      uniqueItems: true,
      items: { type: 'string', maxLength: maxValueLength },
    },
  },
  anyOf: rows.map(({ property, operators, values, more }) => ({
    required: [
      ...(property === defaults.property ? [] : ['property']),
      ...(operators.includes(defaults.operator) ? [] : ['operator']),
    ],
    properties: {
      property: { enum: [property] },
      operator: { enum: operators },
      values: { items: { type: 'string', ...values }, ...more },
    },
  })),
}
