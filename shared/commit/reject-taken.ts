import type { Row } from '../table/entity.ts'
import type { Draft } from '../values/draft.ts'
import type { Transaction } from './transaction.ts'

/** Adds the message for a value of a unique set that another row holds. */
export async function rejectTaken<T>(
  transaction: Transaction,
  draft: Draft<T>,
  set: string,
  field: keyof T & string,
  except?: Row,
): Promise<void> {
  const value = draft.fields[field]
  if (typeof value === 'string' && (await transaction.isTaken(set, value, except))) {
    draft.reject(field, 'has already been taken')
  }
}
