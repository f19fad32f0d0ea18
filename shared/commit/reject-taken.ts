import type { Entity, Row } from '../table/entity.ts'
import type { Draft } from '../values/draft.ts'
import type { Transaction } from './transaction.ts'

/** Rejects each field whose value is already used by another row in the unique set `<collection>.<field>`. */
export async function rejectTaken<T extends object, R extends Row>(
  transaction: Transaction,
  draft: Draft<T>,
  { name, unique }: Entity<R>,
  exception?: R,
): Promise<void> {
  for (const [field, value] of Object.entries(draft.fields)) {
    const set = `${name}.${field}`
    if (set in unique && typeof value === 'string' && (await transaction.isTaken(set, value, exception))) {
      draft.reject(field, 'has already been taken')
    }
  }
}
