import * as v from 'valibot'
import { type FieldErrors, MessageLimit } from '#shared/core/faults.ts'
import { draft } from '#shared/values/draft.ts'

export function checkField(
  name: string,
  schema: v.GenericSchema,
  raw: unknown,
): { errors: FieldErrors } | Record<string, unknown> {
  const { fields, faults } = draft<Record<string, unknown>>(v.object({ [name]: schema }), { [name]: raw })
  return faults.length > 0 ? { errors: new MessageLimit().take(faults) } : fields
}

export const errorsOf = (checked: { errors?: unknown } | Record<string, unknown>): FieldErrors | undefined =>
  checked.errors as FieldErrors | undefined
