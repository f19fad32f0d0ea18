import { type ExportSeal, markBytes } from '#shared/seal/export/export-seal.ts'
import type { SealedHour } from '#shared/seal/log/hour-leaf.ts'
import { hashBytes } from '#shared/seal/merkle/merkle-hash.ts'
import { Fault } from '../fault.ts'
import { type Covered, proofOf } from './last-covered.ts'
import type { Proof } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import type { Written } from './resume-export.ts'

/** Leaves of an answer, at most. */
const mostLeaves = 10_000

type Leaves = { hashes: string; hours?: SealedHour[] }
type HourProof = NonNullable<Proof['hour']>
type Proofs = Pick<ExportSeal, 'entries' | 'first' | 'last' | 'leaves' | 'hours' | 'begin' | 'end'>

/** The first bytes of the hashes of leaves, and of the activity log the hours. */
async function leaves(client: LogClient, path: string, from: number, to: number, more: Record<string, string> = {}) {
  const marks: Buffer[] = []
  const hours: SealedHour[] = []
  for (let at = from; at < to; at += mostLeaves) {
    const query = { from: String(at), to: String(Math.min(to, at + mostLeaves)), ...more }
    const { data } = await client.get<{ data: Leaves }>(path, query)
    const hashes = Buffer.from(data.hashes, 'base64')
    for (let i = 0; i < hashes.length; i += hashBytes) marks.push(hashes.subarray(i, i + markBytes))
    hours.push(...(data.hours ?? []))
  }
  return { marks: Buffer.concat(marks), hours }
}

/** What a seal says of the entries of an export: where the first and the last lie, and the leaves between them. */
export async function sealProofs(
  client: LogClient,
  out: string,
  size: number,
  covered: Covered | null,
  written: Written,
): Promise<Proofs> {
  if (!covered || !written.first) return { entries: 0, first: null, last: null, leaves: '' }
  const first = await proofOf(client, written.first.log_id, size)
  if (!first) throw new Fault(`The first entry of ${out} is not covered by the checkpoint.`)
  const last = covered.proof
  const placed = ({ leaf_index, path }: Proof) => ({ leaf_index, path })
  const ends = { first: placed(first), last: placed(last) }
  if (first.hour && last.hour) {
    const { marks, ...hours } = await marksOfHours(client, [first.leaf_index, last.leaf_index], first.hour, last.hour)
    return { entries: marks.length / markBytes, ...ends, ...hours, leaves: marks.toString('base64') }
  }
  const { marks } = await leaves(client, '/logs/checkpoints/changes/leaves', first.leaf_index, last.leaf_index + 1)
  return { entries: marks.length / markBytes, ...ends, leaves: marks.toString('base64') }
}

/** The activity log has a leaf an hour of a stream, and each hour a tree of its own. */
async function marksOfHours(client: LogClient, [from, to]: [number, number], begin: HourProof, end: HourProof) {
  const path = '/logs/checkpoints/activity/leaves'
  const { hours } = await leaves(client, path, from, to + 1)
  const own = hours.filter(({ stream }) => stream === begin.stream)
  const marks: Buffer[] = []
  for (const [i, { hour, stream, size }] of own.entries()) {
    const first = i === 0 ? begin.index : 0
    const behind = i === own.length - 1 ? end.index + 1 : size
    marks.push((await leaves(client, path, first, behind, { hour, stream })).marks)
  }
  const within = ({ index, path }: HourProof) => ({ leaf_index: index, path })
  return { marks: Buffer.concat(marks), hours, begin: within(begin), end: within(end) }
}
