import * as v from 'valibot'
import { invalid, invalidAt } from '../core/errors.ts'
import { type Fault, faultsAt } from '../core/faults.ts'
import { isObject } from '../core/json/is-object.ts'
import { tooManyKeys } from './field.ts'

// biome-ignore lint/suspicious/noExplicitAny: the entries of a schema are of any type
export type Fields = v.ObjectSchema<any, any>

/** Valid fields of a request, and the faults of the other fields. */
export class Draft<T> {
  readonly fields: Partial<T>
  faults: readonly Fault[]

  constructor(fields: Partial<T>, faults: readonly Fault[]) {
    this.fields = fields
    this.faults = faults
  }

  reject(field: string, ...messages: string[]): void {
    this.faults = [...this.faults, ...faultsAt([field], messages)]
  }

  clear(field: string): void {
    this.faults = this.faults.filter(({ path }) => path[0] !== field)
  }

  has(field: string): boolean {
    return this.faults.some(({ path }) => path[0] === field)
  }

  /** Returns the fields. @throws ApiError `validation_failed` if any field has a fault */
  done(): T {
    if (this.faults.length > 0) throw invalid(this.faults)
    return this.fields as T
  }
}

/** Checks each declared field separately (A6). Ignores unknown keys. @throws ApiError `validation_failed` if there are too many keys */
export function draft<T>(fields: Fields, raw: unknown): Draft<T> {
  const source = isObject(raw) ? raw : {}
  const rejection = tooManyKeys(source)
  if (rejection !== null) throw invalidAt(['base'], rejection)
  const values: Record<string, unknown> = {}
  const faults: Fault[] = []
  for (const [name, schema] of Object.entries<v.GenericSchema>(fields.entries)) {
    if (!Object.hasOwn(source, name)) {
      if (schema.type !== 'optional') faults.push({ path: [name], message: "can't be blank" })
      continue
    }
    const result = v.safeParse(schema, source[name], { abortPipeEarly: true })
    if (result.success) values[name] = result.output
    else {
      for (const issue of result.issues) {
        const path = (issue.path ?? []).map(({ key }) => key as string | number)
        faults.push({ path: path[0] === 'base' ? path : [name, ...path], message: issue.message })
      }
    }
  }
  return new Draft<T>(values as Partial<T>, faults)
}
