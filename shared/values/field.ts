import * as v from 'valibot'
import type { FieldErrors } from '../core/errors.ts'

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

/** A field that says itself what it means, because its name means something else elsewhere. */
export const described = <T>(schema: v.GenericSchema<unknown, T>, description: string) =>
  v.pipe(schema, v.metadata({ jsonSchema: { ...(v.getMetadata(schema).jsonSchema as JsonSchema), description } }))

function issuePath(path: string, input: unknown): [v.IssuePathItem, ...v.IssuePathItem[]] | undefined {
  if (path === '') return undefined
  const items = path
    .split('.')
    .map((key): v.IssuePathItem => ({ type: 'unknown', origin: 'value', input, key, value: undefined }))
  return items as [v.IssuePathItem, ...v.IssuePathItem[]]
}
