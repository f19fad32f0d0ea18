import * as v from 'valibot'
import { type FieldErrors, invalid } from '../core/errors.ts'
import { fieldsOf } from '../core/json/is-object.ts'
import { tooManyKeys } from './too-many-keys.ts'

// biome-ignore lint/suspicious/noExplicitAny: the entries of a schema are of any type
export type Fields = v.ObjectSchema<any, any>

/** Fields that passed so far, and the messages of those that did not. */
export class Draft<T> {
  readonly fields: Partial<T>
  readonly errors: FieldErrors

  constructor(fields: Partial<T>, errors: FieldErrors) {
    this.fields = fields
    this.errors = errors
  }

  /** Adds messages; each appears once per field (A5). */
  reject(field: string, ...messages: string[]): void {
    for (const message of messages) addMessage(this.errors, field, message)
  }

  has(field: string): boolean {
    return this.errors[field] !== undefined
  }

  /** All fields. @throws ApiError `validation_failed` when a message was added. */
  done(): T {
    if (Object.keys(this.errors).length > 0) throw invalid(this.errors)
    return this.fields as T
  }
}

function addMessage(errors: FieldErrors, field: string, message: string): void {
  const known = errors[field] ?? []
  if (!known.includes(message)) errors[field] = [...known, message]
}

const required = (schema: v.GenericSchema) => schema.type !== 'optional'

/**
 * Checks each known field by itself (A6); unknown keys are ignored, a missing required one is `can't be blank`.
 * @throws ApiError `validation_failed` for an object of too many keys
 */
export function draft<T>(fields: Fields, raw: unknown): Draft<T> {
  const source = fieldsOf(raw)
  const crowded = tooManyKeys(source)
  if (crowded !== null) throw invalid({ base: [crowded] })
  const values: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  for (const [name, schema] of Object.entries<v.GenericSchema>(fields.entries)) {
    if (!Object.hasOwn(source, name)) {
      if (required(schema)) errors[name] = ["can't be blank"]
      continue
    }
    const result = v.safeParse(schema, source[name])
    if (result.success) values[name] = result.output
    else {
      for (const issue of result.issues) {
        const path = [name, ...(issue.path ?? []).map((item) => String(item.key))].join('.')
        // A rule may report a whole message map; its keys are complete already.
        const key = path.endsWith('.base') && path.split('.').length === 2 ? 'base' : path
        addMessage(errors, key, issue.message)
      }
    }
  }
  return new Draft<T>(values as Partial<T>, errors)
}
