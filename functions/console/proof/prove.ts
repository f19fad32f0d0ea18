import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import type { Operations } from '../client/api-types.ts'
import { type Entry, timeOf } from '../logs/entries.ts'
import { followPath, hashLeaf, isExtension } from './hashes.ts'
import { type Checkpoint, isSignedBy, readNote } from './note.ts'

export type Proof = Operations['GET /logs/{log_id}/proof']['answer']['data']

/** Checked part of a proof. `values` are shown with their labels of the catalogue. */
export type Step = {
  kind: 'entry' | 'hour' | 'file' | 'tree' | 'signature' | 'kept'
  isValid: boolean
  values: Array<readonly [label: string, value: string]>
}

type Claim = { logId: string; entry: Entry; proof: Proof; key: string; account: string }

/** Leaf of the sealed log in which an entry is, and the check of the way to it. */
type Leaf = { hash: string; steps: Step[] }

async function proveInHour({ entry, logId }: Claim, hour: NonNullable<Proof['hour']>): Promise<Leaf> {
  const root = await followPath(hour.leaf_hash, hour.index, hour.size, hour.path)
  const start = `${timeOf(logId).slice(0, 13)}:00:00.000000Z`
  const text = canonicalJson({ type: 'hour', stream: hour.stream, hour: hour.hour, size: hour.size, root: hour.root })
  const isValid = root === hour.root && hour.hour === start && hour.stream === entry.type
  const values = [
    ['hour', `${hour.stream} ${hour.hour}`],
    ['position', `${hour.index} / ${hour.size}`],
    ['path', hour.path.join('\n')],
    ['computed_root', root ?? ''],
    ['stated_root', hour.root],
  ] as const
  return { hash: await hashLeaf(text), steps: [{ kind: 'hour', isValid, values: [...values] }] }
}

type Manifest = {
  account_id: string
  number: number
  files: Array<{ key: string; stream: string; rows: number; root: string }>
}

function readManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the RFC 8785 form of an entry; blank for one without that form, which no sealed entry is. */
function canonicalText(entry: Entry): string {
  try {
    return canonicalJson(entry)
  } catch {
    return ''
  }
}

async function proveInFile({ proof, account }: Claim, file: NonNullable<Proof['file']>): Promise<Leaf> {
  const text = proof.manifest ?? ''
  const manifest = readManifest(text)
  const listed = manifest?.files.find(({ key }) => key === file.key)
  const root = listed ? await followPath(file.leaf_hash, file.index, listed.rows, file.path) : null
  const isOwn = manifest?.account_id === account && manifest.number === proof.leaf_index && listed?.stream === 'flow'
  const values = [
    ['manifest', text],
    ['file', file.key],
    ['position', `${file.index} / ${listed?.rows ?? ''}`],
    ['path', file.path.join('\n')],
    ['computed_root', root ?? ''],
    ['stated_root', listed?.root ?? ''],
  ] as const
  const isValid = isOwn && root !== null && root === listed?.root
  return { hash: await hashLeaf(text), steps: [{ kind: 'file', isValid, values: [...values] }] }
}

/** Returns the sealed log of a stream (S1). */
export const sealedLogOf = (type: Entry['type']) =>
  (({ change: 'changes', flow: 'archive', session: 'activity', api_request: 'activity' }) as const)[type]

/** True if an origin names a log of an account: `<host>/<account>/<log>`, with a generation from the second on (S2.1, S2.5). */
function isOriginOf(origin: string, account: string, log: string): boolean {
  const [, owner, name, generation] = /^[^/]+\/([^/]+)\/([a-z]+)(\.[1-9]\d*)?$/.exec(origin) ?? []
  return owner === account && name === log && generation !== '.1'
}

/**
 * Checks the proof of an entry: its canonical form, its hour or file, the path to the root, and the signature of the checkpoint. Every step
 * starts from the value that the step before was compared with, so that a failed step names the place of the damage.
 */
export async function prove(claim: Claim): Promise<Step[]> {
  const { logId, entry, proof, key, account } = claim
  const { hour, file } = proof
  const text = canonicalText(entry)
  const computed = await hashLeaf(text)
  const stated = hour?.leaf_hash ?? file?.leaf_hash ?? proof.leaf_hash
  const log = sealedLogOf(entry.type)
  const isEntry =
    computed === stated && entry.log_id === logId && proof.log === log && (log === 'changes') === !(hour || file)
  const entryStep: Step = {
    kind: 'entry',
    isValid: isEntry,
    values: [
      ['canonical_form', text],
      ['computed_leaf', computed],
      ['stated_leaf', stated],
    ],
  }
  const leaf = hour
    ? await proveInHour(claim, hour)
    : file
      ? await proveInFile(claim, file)
      : { hash: stated, steps: [] }
  const checkpoint = readNote(proof.note)
  const root = await followPath(leaf.hash, proof.leaf_index, proof.size, proof.path)
  const isInTree = root !== null && root === checkpoint?.root && proof.size === checkpoint.size
  const tree: Step = {
    kind: 'tree',
    isValid: isInTree && leaf.hash === proof.leaf_hash,
    values: [
      ['computed_leaf', leaf.hash],
      ['position', `${proof.leaf_index} / ${proof.size}`],
      ['path', proof.path.join('\n')],
      ['computed_root', root ?? ''],
      ['stated_root', checkpoint?.root ?? ''],
    ],
  }
  const isSigned = await isSignedBy(proof.note, key)
  const signature: Step = {
    kind: 'signature',
    isValid: isSigned && isOriginOf(checkpoint?.origin ?? '', account, proof.log),
    values: [
      ['note', proof.note],
      ['verifier_key', key],
    ],
  }
  return [entryStep, ...leaf.steps, tree, signature]
}

/** Relation of a checkpoint to the newest one that the browser keeps (K9.4). */
export type Relation = 'first' | 'extends' | 'truncated' | 'forked' | 'restarted' | 'other'

/** Predecessor of a log that follows another one (S2.5). */
function followed({ extensions }: Checkpoint) {
  const [, origin, size, root] = extensions.map((line) => /^follows (\S+) (\d+) (\S+)$/.exec(line)).find(Boolean) ?? []
  const [, shared] = extensions.map((line) => /^shares (\d+)( \S+)?$/.exec(line)).find(Boolean) ?? []
  return origin && root && shared ? { origin, size: Number(size), root, shared: Number(shared) } : undefined
}

/**
 * Compares a verified checkpoint with the kept one. `readPath` reads a consistency proof between two sizes.
 * @throws Problem of `readPath`
 */
export async function relationOf(
  kept: Checkpoint | undefined,
  checkpoint: Checkpoint,
  readPath: (from: number, to: number) => Promise<string[]>,
): Promise<Relation> {
  if (!kept) return 'first'
  const before = followed(checkpoint)
  if (kept.origin !== checkpoint.origin) {
    if (before?.origin !== kept.origin) return 'other'
    if (kept.size === before.size && kept.root !== before.root) return 'forked'
    if (kept.size > before.shared) return 'restarted'
  }
  if (checkpoint.size < kept.size) return 'truncated'
  if (checkpoint.size === kept.size) return checkpoint.root === kept.root ? 'extends' : 'forked'
  const path = await readPath(kept.size, checkpoint.size)
  return (await isExtension(kept, checkpoint, path)) ? 'extends' : 'forked'
}

/** Reason why an entry has no proof: it will be sealed soon, is older than the log, or is missing in a log that is newer (S1, S2.3). */
export function unsealedReason(logId: string, checkpoint: { signed_at: string | null; note: string | null }) {
  const time = Date.parse(timeOf(logId))
  const isChange = logId.startsWith('c')
  const [, from] = /^from (\S+)$/m.exec(checkpoint.note ?? '') ?? []
  if (from && (isChange ? logId < from : timeOf(logId) < from)) return 'before' as const
  if (logId.startsWith('f') || !checkpoint.signed_at) return 'soon' as const
  // Settled hours are sealed 15 minutes after their end, and new leaves every 5 minutes. The rest is a margin.
  const due = isChange ? time + 10 * 60_000 : Math.ceil(time / 3_600_000) * 3_600_000 + 30 * 60_000
  return Date.parse(checkpoint.signed_at) > due ? ('missing' as const) : ('soon' as const)
}
