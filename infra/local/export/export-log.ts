import { appendFileSync } from 'node:fs'
import type { ExportSeal } from '#shared/seal/export/export-seal.ts'
import { Fault } from '../fault.ts'
import type { ExportOptions } from './export-options.ts'
import { extension } from './extension.ts'
import { holdExport } from './hold-export.ts'
import { lastCovered } from './last-covered.ts'
import type { Checkpoint } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import { resumeExport } from './resume-export.ts'
import { rejectOtherRange } from './same-range.ts'
import { sealProofs } from './seal-proofs.ts'
import { writeEntries } from './write-entries.ts'

/** Writes an export (S5.1); one that broke off is gone on with. Answers how many entries it has; the seal tells of as many as were sealed. */
export async function exportLog(client: LogClient, options: ExportOptions): Promise<number> {
  const held = holdExport(options.out)
  try {
    return await writeExport(client, options)
  } finally {
    held.release()
  }
}

async function writeExport(client: LogClient, options: ExportOptions): Promise<number> {
  const { type, out } = options
  const log = type === 'change' ? 'changes' : 'activity'
  const checkpoint = (await client.get<{ data: Checkpoint }>(`/logs/checkpoints/${log}`)).data
  const { note, size, signed_at, follows } = checkpoint
  if (note === null || signed_at === null)
    throw new Fault('Nothing of this log is sealed yet. Try again in five minutes.')
  const written = resumeExport(out, type)
  const extended = await extension(client, log, checkpoint, note, options.against)
  const last = await lastCovered(client, options, size)
  await rejectOtherRange(client, options, last?.entry ?? null, written)
  if (last) await writeEntries(client, options, last.entry, written)
  const seal: ExportSeal = {
    type: 'seal',
    version: 1,
    log,
    stream: type,
    note,
    verifier_key: checkpoint.verifier_key,
    ...(await sealProofs(client, out, size, last, written)),
    ...(follows && { follows: { note: follows.note } }),
    ...extended,
  }
  appendFileSync(out, `${JSON.stringify(seal)}\n`, { mode: 0o600 })
  return written.entries
}
