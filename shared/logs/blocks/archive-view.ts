import { clock } from '../../core/clock.ts'
import type { Key } from '../../table/keys.ts'
import { getItem, storedPages } from '../../table/read.ts'
import type { LogStream } from '../entries/log-id.ts'
import { archivePartition, slotPrefix, stateSort } from './block-keys.ts'

/** State of an account's archive (R2). Times are in microseconds. */
export type ArchiveState = {
  /** End of the last flushed hour. Flows that were closed before it are in files. */
  watermark: number
  /** End of the last manifest, the number of manifests, and the leaf hash of the last one. */
  until: number
  manifests: number
  previous: string | null
  totals: Partial<Record<LogStream, { rows: number; bytes: number }>>
  written_at: number
}

export const archiveStateKey = (account: string): Key => ({ pk: archivePartition(account), sk: stateSort })

/** Item of a manifest. `hash` is its leaf hash in base64, `hour` names its object, and `erasures` is the number of files under `erasures`. */
export type ManifestItem = Key & { kind: 'archive_manifest'; hash: string; hour: number; erasures: number }

export const manifestKey = (account: string, number: number): Key => ({
  pk: archivePartition(account),
  sk: `manifest#${String(number).padStart(12, '0')}`,
})

/** Returns null before the first flush. */
export async function readArchiveState(account: string): Promise<ArchiveState | null> {
  const item = await getItem<Key & Partial<ArchiveState>>(archiveStateKey(account))
  if (item?.watermark === undefined) return null
  const { watermark, until = watermark, manifests = 0, previous = null, totals = {}, written_at = 0 } = item
  return { watermark, until, manifests, previous, totals, written_at }
}

/** Places of an account's flows: files and the open set before the watermark, and the slots after it, oldest first. */
export type ArchiveView = {
  account: string
  /** 0 before the first flush. */
  watermark: number
  slots: number[]
  /** True if the items of the last flush can be read with eventual consistency, at half the price. */
  relaxed: boolean
}

/** Number of items that the first request reads: the state, and the slots of 80 minutes. */
const firstItems = 18

/** Microseconds after which a write has reached all replicas. */
const settledMicros = 60_000_000

/**
 * Reads the state and the later slots together. A concurrent flush does not change the result, because the items of the previous watermark
 * remain for days.
 */
export async function readArchive(account: string): Promise<ArchiveView> {
  const range = { after: `${stateSort}~`, backward: true, pageLength: firstItems }
  const view: ArchiveView = { account, watermark: 0, slots: [], relaxed: false }
  for await (const page of storedPages<Key & Partial<ArchiveState>>(archivePartition(account), range)) {
    for (const { sk, watermark = 0, written_at = 0 } of page) {
      const slot = Number.parseInt(sk.slice(slotPrefix.length), 16)
      if (sk === stateSort) Object.assign(view, { watermark, relaxed: written_at < clock.now() - settledMicros })
      else if (sk.startsWith(slotPrefix) && slot >= view.watermark) view.slots.unshift(slot)
      else return view
    }
  }
  return view
}
