import { fieldsOf } from '../core/json/is-object.ts'

/** The id of the object that a change is about: the one in its row before and after (L2.8). Null for any other entry. */
export function objectIdOf({ before, after }: Record<string, unknown>): string | null {
  const { id } = fieldsOf(after ?? before)
  return typeof id === 'string' && id !== '' ? id : null
}
