import { type ExportSeal, markBytes } from '#shared/seal/export/export-seal.ts'
import type { SealedHour } from '#shared/seal/log/sealed-log.ts'
import { hashBytes } from '#shared/seal/merkle/merkle-proof.ts'
import { StartupError } from '../../local/files/fault.ts'
import type { CoveredEntry, ExportOptions, ExportType, LogClient, Proof } from './log-client.ts'
import type { WrittenEntries } from './resume-export.ts'

const maxLeaves = 10_000

type Leaves = { hashes: string; hours?: SealedHour[] }
type Proofs = Pick<ExportSeal, 'entries' | 'before' | 'after' | 'first' | 'last' | 'leaves' | 'hours' | 'begin' | 'end'>

/** Entries just before and after a range, and the proofs of the range's first and last leaves. */
type Ends = { before: CoveredEntry | null; after: CoveredEntry | null; first: Proof | null; last: Proof | null }

/** Fetches the leaf hashes, shortened to their first bytes. For the activity log, also fetches the sealed hours. */
async function leaves(client: LogClient, path: string, from: number, to: number, more: Record<string, string> = {}) {
  const marks: Buffer[] = []
  const hours: SealedHour[] = []
  for (let at = from; at < to; at += maxLeaves) {
    const query = { from: String(at), to: String(Math.min(to, at + maxLeaves)), ...more }
    const { data } = await client.get<{ data: Leaves }>(path, query)
    const hashes = Buffer.from(data.hashes, 'base64')
    for (let i = 0; i < hashes.length; i += hashBytes) marks.push(hashes.subarray(i, i + markBytes))
    hours.push(...(data.hours ?? []))
  }
  return { marks: Buffer.concat(marks), hours }
}

/** Builds the proof that an export contains all entries of its range, and no others. */
export async function sealProofs(
  client: LogClient,
  { type, begin, end, out }: ExportOptions,
  size: number,
  newest: CoveredEntry | null,
  writtenEntries: WrittenEntries,
): Promise<Proofs> {
  const before = await client.fetchProof(await client.newest({ type, begin: 0, end: begin - 1 }), size)
  const after = await client.fetchProof(await client.oldest(type, end + 1), size)
  const oldest = newest && (await client.fetchProof(writtenEntries.first, size))
  if (newest && !oldest) throw new StartupError(`The first entry of ${out} is not covered by the checkpoint.`)
  const first = (before ?? oldest ?? after)?.proof ?? null
  const last = (after ?? newest ?? before)?.proof ?? null
  const ends = { before, after, first, last }
  const proofs = type === 'change' ? await changeProofs(client, ends, size) : await hourProofs(client, type, ends, size)
  return { before: before?.entry ?? null, after: after?.entry ?? null, ...proofs }
}

const nothingLeft = () =>
  new StartupError('All entries of this log are past their retention, so no range can be proven.')

/** Position of the first or last leaf of a range; null if the leaf's index is `end`, the first or last index of the log. */
const positionOf = (proof: Proof | null, end: number) =>
  proof && proof.leaf_index !== end ? { leaf_index: proof.leaf_index, path: proof.path } : null

const encodeMarks = (marks: Buffer) => ({ entries: marks.length / markBytes, leaves: marks.toString('base64') })

async function changeProofs(client: LogClient, { before, after, first, last }: Ends, size: number) {
  if (!first || !last) throw nothingLeft()
  const [from, to] = [first.leaf_index + (before ? 1 : 0), last.leaf_index + (after ? 0 : 1)]
  const { marks } = await leaves(client, '/logs/checkpoints/changes/leaves', from, to)
  return { first: positionOf(first, 0), last: positionOf(last, size - 1), ...encodeMarks(marks) }
}

/** Builds the proofs of the activity log, which has one leaf per stream and hour, and a separate tree for each hour. */
async function hourProofs(client: LogClient, type: ExportType, { before, after, first, last }: Ends, size: number) {
  const path = '/logs/checkpoints/activity/leaves'
  const [from, to] = [before?.proof.leaf_index ?? 0, after?.proof.leaf_index ?? size - 1]
  const { hours: found } = await leaves(client, path, from, to + 1)
  const isOwn = ({ stream }: SealedHour) => stream === type
  if (!first || !last) {
    if (found.some(isOwn)) throw nothingLeft()
    return { first: null, last: null, hours: found, ...encodeMarks(Buffer.alloc(0)) }
  }
  // Starts the proof at the hour of the first entry, because entries of earlier hours have passed their retention.
  const isCut = !before && found.slice(0, first.leaf_index).some(isOwn)
  const hours = isCut ? found.slice(first.leaf_index) : found
  const hoursOfStream = hours.filter(isOwn)
  const [begin, end] = [first.hour?.index ?? 0, last.hour?.index ?? 0]
  const marks: Buffer[] = []
  for (const [i, { hour, stream, size: entries }] of hoursOfStream.entries()) {
    const start = i === 0 ? begin + (before ? 1 : 0) : 0
    const behind = i === hoursOfStream.length - 1 ? end + (after ? 0 : 1) : entries
    marks.push((await leaves(client, path, start, behind, { hour, stream })).marks)
  }
  const leafPosition = ({ index, path }: NonNullable<Proof['hour']>) => ({ leaf_index: index, path })
  const lastIndex = (hoursOfStream.at(-1)?.size ?? 0) - 1
  return {
    first: before || isCut ? positionOf(first, 0) : null,
    last: after ? positionOf(last, size - 1) : null,
    hours,
    ...(first.hour && begin > 0 && { begin: leafPosition(first.hour) }),
    ...(last.hour && end < lastIndex && { end: leafPosition(last.hour) }),
    ...encodeMarks(Buffer.concat(marks)),
  }
}
