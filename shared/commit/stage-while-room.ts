import type { Transaction } from './transaction.ts'

const perPart = 30

/** Begins several reads at once, for changes that are staged one after the other. */
export const readAhead = <R>(read: (range: { limit: number }) => Promise<R[]>) => {
  const rows = read({ limit: perPart })
  // Whoever has no room any more does not ask for them.
  rows.catch(() => undefined)
  return () => rows
}

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
