import type { Transaction } from './transaction.ts'

const perPart = 30

/** Stages a change of one row after the other while the commit has room; `more` when some are left for another commit. */
export async function stageWhileRoom<R>(
  transaction: Transaction,
  read: (range: { limit: number }) => Promise<R[]>,
  stage: (row: R) => unknown,
): Promise<'done' | 'more'> {
  if (!transaction.hasRoom()) return 'more'
  const rows = await read({ limit: perPart })
  for (const row of rows) {
    if (!transaction.hasRoom()) return 'more'
    await stage(row)
  }
  return rows.length === perPart ? 'more' : 'done'
}
