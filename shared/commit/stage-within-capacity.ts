import type { Entity, Row } from '../table/entity.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from './transaction.ts'

const rowsPerPart = 30

/** Combines the results of several stages: `more` if any stage has rows left. */
export const combineStages = (...stages: ('done' | 'more')[]): 'done' | 'more' =>
  stages.includes('more') ? 'more' : 'done'

/** Starts a read early, so that several reads run concurrently although their rows are staged one after the other. */
export const readAhead = <R>(read: (range: { limit: number }) => Promise<R[]>) => {
  const rows = read({ limit: rowsPerPart })
  // Prevents an unhandled rejection when the commit is full and the rows are never awaited.
  rows.catch(() => undefined)
  return () => rows
}

/** Stages a change of each row while the commit has capacity. Returns `more` when rows are left for another commit. */
export async function stageWithinCapacity<R>(
  transaction: Transaction,
  read: (range: { limit: number }) => Promise<R[]>,
  stage: (row: R) => unknown,
): Promise<'done' | 'more'> {
  if (!transaction.hasCapacity()) return 'more'
  const rows = await read({ limit: rowsPerPart })
  for (const row of rows) {
    if (!transaction.hasCapacity()) return 'more'
    if ((await stage(row)) === 'more') return 'more'
  }
  return rows.length === rowsPerPart ? 'more' : 'done'
}

/** Stages a change of each row with this value in an indexed field, by default its deletion, while the commit has capacity. */
export const stageRows = <R extends Row>(
  transaction: Transaction,
  entity: Entity<R>,
  field: string,
  value: string,
  stage: (row: R) => unknown = (row) => transaction.delete(entity, row),
): Promise<'done' | 'more'> =>
  stageWithinCapacity(transaction, (range) => rowsBy(entity, transaction.accountId, field, value, range), stage)
