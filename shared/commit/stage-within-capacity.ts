import type { Entity, Row } from '../table/entity.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from './transaction.ts'

const perPart = 30

/** `more` where a stage of a change has some left. */
export const together = (...stages: ('done' | 'more')[]): 'done' | 'more' => (stages.includes('more') ? 'more' : 'done')

/** Begins several reads at once, for changes that are staged one after the other. */
export const readAhead = <R>(read: (range: { limit: number }) => Promise<R[]>) => {
  const rows = read({ limit: perPart })
  // A caller without room never awaits them.
  rows.catch(() => undefined)
  return () => rows
}

/** Stages a change of one row after the other while the commit has room; `more` when some are left for another commit. */
export async function stageWithinCapacity<R>(
  transaction: Transaction,
  read: (range: { limit: number }) => Promise<R[]>,
  stage: (row: R) => unknown,
): Promise<'done' | 'more'> {
  if (!transaction.hasCapacity()) return 'more'
  const rows = await read({ limit: perPart })
  for (const row of rows) {
    if (!transaction.hasCapacity()) return 'more'
    if ((await stage(row)) === 'more') return 'more'
  }
  return rows.length === perPart ? 'more' : 'done'
}

/** Stages a change of the rows that have a value in a field, while the commit has room: their deletion, unless `stage` is given. */
export const stageRows = <R extends Row>(
  transaction: Transaction,
  entity: Entity<R>,
  field: string,
  value: string,
  stage: (row: R) => unknown = (row) => transaction.delete(entity, row),
): Promise<'done' | 'more'> =>
  stageWithinCapacity(transaction, (range) => rowsBy(entity, transaction.accountId, field, value, range), stage)
