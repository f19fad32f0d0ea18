import * as v from 'valibot'
import { field, type JsonSchema } from '../../values/field.ts'

/** A cast that takes no null; what is empty is `empty`, or invalid too where there is none. */
export const notNullCast = <T>(cast: v.GenericSchema<unknown, T | null>, schema: JsonSchema, empty?: T) =>
  field<T>((input) => {
    const parsed = v.safeParse(cast, input)
    const value = parsed.success && input !== null ? (parsed.output ?? empty) : undefined
    return value === undefined ? { message: 'is invalid' } : { value }
  }, schema)
