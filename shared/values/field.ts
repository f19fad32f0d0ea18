import * as v from 'valibot'
import { type Fault, faultsAt, maxFaultMessages, type Path } from '../core/faults.ts'
import { isObject } from '../core/json/is-object.ts'

/** JSON Schema that documents a field. The check also accepts the lax forms of A6.3. */
export type JsonSchema = Record<string, unknown>

export type FieldResult<T> = { value: T } | { message: string } | { faults: Fault[] }

/** Creates a field from a check of any JSON value. Paths of faults are relative to the field, except for the path `base`. */
export const field = <T>(check: (input: unknown) => FieldResult<T>, schema: JsonSchema) =>
  v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const result = check(dataset.value)
      if ('value' in result) return result.value
      const faults = 'message' in result ? faultsAt([], [result.message]) : result.faults
      for (const { path, message } of faults) addIssue({ message, path: issuePath(path, dataset.value) })
      return NEVER
    }),
    v.metadata({ jsonSchema: schema }),
  )

/** Adds documentation to a field: its meaning, or rules that are checked later. */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any input
export const documented = <S extends v.GenericSchema<any, unknown>>(schema: S, more: JsonSchema) =>
  v.pipe(schema, v.metadata({ more }))

/** Rules across several fields, as JSON Schema. */
export type FieldRules = {
  required?: readonly string[]
  properties?: Record<string, JsonSchema>
  anyOf?: readonly { required?: readonly string[]; properties: Record<string, JsonSchema> }[]
}

/** Documents rules across several fields, which the operation itself checks. */
export const withRules = <const E extends v.ObjectEntries>(entries: E, rules: FieldRules) =>
  v.pipe(v.object(entries), v.metadata({ rules }))

function issuePath(path: Path, input: unknown): [v.IssuePathItem, ...v.IssuePathItem[]] | undefined {
  const item = (key: unknown): v.IssuePathItem => ({ type: 'unknown', origin: 'value', input, key, value: undefined })
  const [first, ...rest] = path
  return first === undefined ? undefined : [item(first), ...rest.map(item)]
}

/** Maximum number of keys of any object in a body, including ignored keys. */
export const maxKeys = 1_000

/** Returns a message for an object with too many keys; null for any other object. */
export function tooManyKeys(value: object): string | null {
  let keys = 0
  for (const _ in value) if (++keys > maxKeys) return `should have at most ${maxKeys} key(s)`
  return null
}

/**
 * Checks each object of a list until the response is full of faults, then checks all valid objects together.
 * @param check adds the faults of an object at a path, and returns undefined for an unreadable object
 */
export function checkObjects<T>(
  raw: unknown,
  max: number,
  check: (item: Record<string, unknown>, path: Path, faults: Fault[]) => T | undefined,
  checkAll: (items: T[]) => Fault[] = () => [],
): FieldResult<T[]> {
  if (!Array.isArray(raw)) return { message: 'must be a list' }
  if (raw.length > max) return { message: `should have at most ${max} item(s)` }
  const faults: Fault[] = []
  const items: T[] = []
  for (const [i, item] of raw.entries()) {
    const rejection = isObject(item) ? tooManyKeys(item) : 'must be an object'
    const result = rejection === null ? check(item, [i], faults) : undefined
    if (rejection !== null) faults.push({ path: [i], message: rejection })
    if (result !== undefined) items.push(result)
    if (faults.length >= maxFaultMessages) break
  }
  faults.push(...checkAll(items))
  return faults.length > 0 ? { faults } : { value: items }
}
