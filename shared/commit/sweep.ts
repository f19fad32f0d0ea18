import type { Entity, Row } from '../table/entity.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from './transaction.ts'

const rowsPerPage = 50

export type Sweep = (transaction: Transaction) => Promise<'done' | 'more'>

/**
 * Creates a sweep over the rows with a given value in an indexed field. `select` finds the objects of a row to remove, and `remove` stages
 * their removal. Skips only pages without such objects, because a conflict runs the same stage again.
 */
export function sweep<R extends Row, P>(
  entity: Entity<R>,
  field: string,
  value: string,
  select: (transaction: Transaction, row: R) => Promise<P[]>,
  remove: (transaction: Transaction, part: P) => void,
): Sweep {
  let lastId: string | undefined
  return async (transaction) => {
    let after = lastId
    let partCount = 0
    for (;;) {
      const rows = await rowsBy(entity, transaction.accountId, field, value, { after, limit: rowsPerPage })
      const parts = (await Promise.all(rows.map((row) => select(transaction, row)))).flat()
      partCount += parts.length
      for (const part of parts) {
        if (!transaction.hasCapacity()) return 'more'
        remove(transaction, part)
      }
      if (rows.length < rowsPerPage) return 'done'
      after = rows.at(-1)?.id
      if (partCount === 0) lastId = after
    }
  }
}

export const sweepAll =
  (sweeps: Sweep[]): Sweep =>
  async (transaction) => {
    for (const runSweep of sweeps) if ((await runSweep(transaction)) === 'more') return 'more'
    return 'done'
  }
