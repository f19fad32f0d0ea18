import * as v from 'valibot'
import { documentedSchema, field, type JsonSchema } from './field.ts'

/** A field in which null and blank text mean the same as leaving it out. */
export const orNull = <T>(inner: v.GenericSchema<unknown, T>) =>
  field<T | null>((input) => {
    if (input === null || (typeof input === 'string' && input.trim() === '')) return { value: null }
    const result = v.safeParse(inner, input)
    return result.success ? { value: result.output } : { message: result.issues[0].message }
  }, nullable(inner))

function nullable(inner: v.GenericSchema): JsonSchema {
  const jsonSchema = documentedSchema(inner)
  const members = Array.isArray(jsonSchema.enum) && { enum: [...jsonSchema.enum, null] }
  return { ...jsonSchema, type: [jsonSchema.type, 'null'], ...members }
}
