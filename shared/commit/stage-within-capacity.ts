import type { Entity, Row } from '../table/entity.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from './transaction.ts'

const perPart = 30

/** Combines the results of several stages: `more` when any of them has rows left. */
export const together = (...stages: ('done' | 'more')[]): 'done' | 'more' => (stages.includes('more') ? 'more' : 'done')

/** Starts a read early, so that several reads run at once although their rows are staged one after the other. */
export const readAhead = <R>(read: (range: { limit: number }) => Promise<R[]>) => {
  const rows = read({ limit: perPart })
  // A caller whose commit is full never awaits the rows; this avoids an unhandled rejection.
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
  const rows = await read({ limit: perPart })
  for (const row of rows) {
    if (!transaction.hasCapacity()) return 'more'
    if ((await stage(row)) === 'more') return 'more'
  }
  return rows.length === perPart ? 'more' : 'done'
}

/** Stages a change of the rows with this value in an indexed field while the commit has capacity; by default their deletion. */
export const stageRows = <R extends Row>(
  transaction: Transaction,
  entity: Entity<R>,
  field: string,
  value: string,
  stage: (row: R) => unknown = (row) => transaction.delete(entity, row),
): Promise<'done' | 'more'> =>
  stageWithinCapacity(transaction, (range) => rowsBy(entity, transaction.accountId, field, value, range), stage)
