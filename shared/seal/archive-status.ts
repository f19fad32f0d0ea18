import * as v from 'valibot'
import { hourMicros, timestamp } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { type ManifestItem, manifestKey, readArchiveState } from '../logs/blocks/archive-view.ts'
import { readErasedFiles, readErasures } from '../logs/blocks/erasures.ts'
import { logStreams } from '../logs/entries/log-id.ts'
import { getItem } from '../table/read.ts'
import { readSealedLog } from './sealing/sealed-state.ts'

/** Status of an account's archive (R6.3). All hours before `watermark` are complete, and those before `sealed_until` are sealed. */
export const ArchiveAnswer = v.object({
  watermark: v.nullable(v.string()),
  sealed_until: v.nullable(v.string()),
  /** Null on a single machine, where a folder replaces the bucket. */
  bucket: v.nullable(v.string()),
  prefix: v.string(),
  manifests: v.number(),
  streams: v.array(v.object({ stream: v.picklist(logStreams), rows: v.number(), bytes: v.number() })),
  erasures: v.array(v.object({ id: v.string(), actor_id: v.string(), erased_at: v.string(), rows: v.number() })),
})

/** Reads the status of the archive (`GET /logs/archive`). */
export async function readArchiveStatus(account: string): Promise<{ data: v.InferOutput<typeof ArchiveAnswer> }> {
  const [state, { state: sealed }, erasures, erasedFiles] = await Promise.all([
    readArchiveState(account),
    readSealedLog(account, 'archive'),
    readErasures(account),
    readErasedFiles(account),
  ])
  const last = sealed ? await getItem<ManifestItem>(manifestKey(account, sealed.size - 1)) : undefined
  const { watermark = null, manifests = 0, totals = {} } = state ?? {}
  return {
    data: {
      watermark: watermark === null ? null : timestamp(watermark),
      sealed_until: last ? timestamp(last.hour + hourMicros) : null,
      bucket: env.archiveFolder ? null : env.archiveBucket,
      prefix: 'v1/',
      manifests,
      streams: logStreams.map((stream) => ({ stream, ...(totals[stream] ?? { rows: 0, bytes: 0 }) })),
      erasures: [...erasures.values()].map(({ id, actor_id, erased_at }) => ({
        ...{ id, actor_id, erased_at: timestamp(erased_at) },
        rows: erasedFiles.reduce((sum, { rows }) => sum + (rows[erased_at] ?? 0), 0),
      })),
    },
  }
}
