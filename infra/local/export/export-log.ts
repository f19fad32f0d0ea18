import { appendFileSync } from 'node:fs'
import * as v from 'valibot'
import { timestamp } from '#shared/core/clock.ts'
import { sealLine } from '#shared/seal/export/export-line.ts'
import { ExportSeal, exportVersion } from '#shared/seal/export/export-seal.ts'
import { Fault } from '../fault.ts'
import type { ExportOptions } from './export-options.ts'
import { extension } from './extension.ts'
import { holdExport } from './hold-export.ts'
import { lastCovered } from './last-covered.ts'
import type { Checkpoint } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import { micros } from './neighbours.ts'
import { resumeExport } from './resume-export.ts'
import { rejectOtherRange } from './same-range.ts'
import { sealProofs } from './seal-proofs.ts'
import { writeEntries } from './write-entries.ts'

/** Outcome of an export: the number of entries, and whether the checkpoint ends before the range does. */
export type Exported = { entries: number; range: ExportSeal['range']; isUpToCheckpoint: boolean }

/** Writes an export (S5.1), or resumes one that broke off. */
export async function exportLog(client: LogClient, asked: ExportOptions): Promise<Exported> {
  const options = { ...asked, begin: timestamp(micros(asked.begin)), end: timestamp(micros(asked.end)) }
  const held = holdExport(options.out)
  try {
    return await writeExport(client, options)
  } finally {
    held.release()
  }
}

async function writeExport(client: LogClient, options: ExportOptions): Promise<Exported> {
  const { type, begin, end, out } = options
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
  const range = { begin, end }
  const seal = v.parse(ExportSeal, {
    type: 'seal',
    version: exportVersion,
    log,
    stream: type,
    range,
    note,
    verifier_key: checkpoint.verifier_key,
    ...(await sealProofs(client, options, size, last, written)),
    ...(follows && { follows: { note: follows.note } }),
    ...extended,
  } satisfies ExportSeal)
  appendFileSync(out, `${sealLine(seal)}\n`, { mode: 0o600 })
  return { entries: written.entries, range, isUpToCheckpoint: seal.after === null }
}
