import { type Item, type Key, liveKey } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'

/**
 * The last good run of a directory or posture provider. It lies beside the row, so that a run which changes nothing writes
 * nothing else; `synced_at` of all that the source owns is shown from it (I4.3).
 */
export type LastGoodRun = {
  /** The start of the run. */
  synced_at: string
  run_id: string
  /** The snapshot that it sealed. */
  root: string
  /** Since when the oldest part of the snapshot lies in the table: they end by themselves. */
  staged_at: string
  /** When all lists of members were last read. */
  whole_at: string
}

export const lastGoodRunKey = (account: string, sourceId: string): Key => liveKey(account, 'sync', sourceId)

export const lastGoodRunItem = (account: string, sourceId: string, run: LastGoodRun): Item => ({
  ...lastGoodRunKey(account, sourceId),
  kind: 'live',
  ...run,
})

/** `synced_at` of what sources own, in the order of their ids; null for what no run has made or kept yet. */
export async function syncedAt(account: string, sourceIds: (string | null)[]): Promise<(string | null)[]> {
  const known = [...new Set(sourceIds)].filter((id) => id !== null)
  if (known.length === 0) return sourceIds.map(() => null)
  const items = await getItems<Key & Partial<LastGoodRun>>(known.map((id) => lastGoodRunKey(account, id)))
  const byId = new Map(known.map((id, i) => [id, items[i]?.synced_at ?? null]))
  return sourceIds.map((id) => (id === null ? null : (byId.get(id) ?? null)))
}

type Shown = { id: string; account_id: string; synced_at: string | null }

/** Rows of sources with the start of their last good run. */
export async function withLastRuns<R extends Shown>(rows: R[]): Promise<R[]> {
  const [first] = rows
  if (!first) return rows
  const times = await syncedAt(
    first.account_id,
    rows.map(({ id }) => id),
  )
  return rows.map((row, i) => ({ ...row, synced_at: times[i] ?? row.synced_at }))
}

export async function withLastRun<R extends Shown>(row: R): Promise<R> {
  const [shown] = await withLastRuns([row])
  return shown ?? row
}

type Owned = { directory_id: string | null; synced_at: string | null }

/** Rows that directories own, with the start of the last good run of theirs (I4.3). */
export async function withDirectoryRuns<R extends Owned>(account: string, rows: R[]): Promise<R[]> {
  const times = await syncedAt(
    account,
    rows.map(({ directory_id }) => directory_id),
  )
  return rows.map((row, i) => ({ ...row, synced_at: times[i] ?? row.synced_at }))
}
