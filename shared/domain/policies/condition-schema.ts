import type { JsonSchema } from '../../values/field.ts'
import { maxKeys } from '../../values/too-many-keys.ts'
import { conditionDefaults, conditionProperties, maxValueLength, maxValues } from './condition-properties.ts'

const properties = Object.entries(conditionProperties)

/** A condition as the reference documents it: the operators and the form of the values follow from the property (A17.1). */
export const conditionSchema: JsonSchema = {
  type: 'object',
  maxProperties: maxKeys,
  required: ['values'],
  properties: {
    property: { type: 'string', enum: Object.keys(conditionProperties), default: conditionDefaults.property },
    operator: {
      type: 'string',
      enum: [...new Set(properties.flatMap(([, { operators }]) => operators))],
      default: conditionDefaults.operator,
    },
    values: {
      type: 'array',
      minItems: 1,
      maxItems: maxValues,
      uniqueItems: true,
      items: { type: 'string', maxLength: maxValueLength },
    },
  },
  anyOf: properties.map(([property, { operators, form, single }]) => ({
    required: [
      ...(property === conditionDefaults.property ? [] : ['property']),
      ...(operators.includes(conditionDefaults.operator) ? [] : ['operator']),
    ],
    properties: {
      property: { enum: [property] },
      operator: { enum: operators },
      values: { items: { type: 'string', ...form }, ...(single && { maxItems: 1 }) },
    },
  })),
}
