import * as v from 'valibot'
import type { FieldErrors } from '../core/errors.ts'
import { fieldsOf } from '../core/json/is-object.ts'

/** JSON Schema of a field as documented; the check itself also takes the lax forms of A6.3. */
export type JsonSchema = Record<string, unknown>

export type Checked<T> = { value: T } | { message: string } | { errors: FieldErrors }

/**
 * A field whose rule is a function from any JSON value to a value, a message, or messages by sub-path.
 * Sub-paths start at the field itself: `''` is the field, `0.ports` an element's key, `base` a rule across fields.
 */
export const field = <T>(check: (input: unknown) => Checked<T>, schema: JsonSchema) =>
  v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const result = check(dataset.value)
      if ('value' in result) return result.value
      const errors = 'message' in result ? { '': [result.message] } : result.errors
      for (const [path, messages] of Object.entries(errors)) {
        for (const message of messages) addIssue({ message, path: issuePath(path, dataset.value) })
      }
      return NEVER
    }),
    v.metadata({ jsonSchema: schema }),
  )

/** A field's schema as it is documented. */
export function documentedSchema(schema: v.GenericSchema): JsonSchema {
  const metadata: Record<string, unknown> = v.getMetadata(schema)
  return fieldsOf(metadata.jsonSchema)
}

/** A field of which more is documented than its own check tells: rules that are tested later, or what it means here. */
export const documented = <T>(schema: v.GenericSchema<unknown, T>, more: JsonSchema) =>
  v.pipe(schema, v.metadata({ jsonSchema: { ...documentedSchema(schema), ...more } }))

/** What holds between fields, as JSON Schema says it: more required ones, narrower properties, alternatives. */
export type FieldRules = {
  required?: readonly string[]
  properties?: Record<string, JsonSchema>
  anyOf?: readonly { required?: readonly string[]; properties: Record<string, JsonSchema> }[]
}

/** Fields with the rules between them, which the operation tests by itself. */
export const withRules = <const E extends v.ObjectEntries>(entries: E, rules: FieldRules) =>
  v.pipe(v.object(entries), v.metadata({ rules }))

function issuePath(path: string, input: unknown): [v.IssuePathItem, ...v.IssuePathItem[]] | undefined {
  if (path === '') return undefined
  const item = (key: string): v.IssuePathItem => ({ type: 'unknown', origin: 'value', input, key, value: undefined })
  const [first = '', ...rest] = path.split('.')
  return [item(first), ...rest.map(item)]
}
