import { isDeepStrictEqual } from 'node:util'
import { parseOrigin } from '../log/sealed-log.ts'
import { provesConsistency } from '../merkle/merkle-proof.ts'
import { type Checkpoint, type Follows, parseCheckpoint, parseFollows } from '../notes/checkpoint.ts'
import { openNote, parseNote, parseVerifierKey } from '../notes/signed-note.ts'
import { ExportCheck, ExportFault, type ProvenEnds } from './check-export.ts'
import { linesUntil, readNote, readSeal, sealedMarks } from './export-file.ts'
import { type ExportSeal, marksLength } from './export-seal.ts'

/** Thrown if the given files neither prove nor refute a statement. */
export class Unproven extends Error {}

export type Verified = {
  seal: ExportSeal
  checkpoint: Checkpoint
  proven: ProvenEnds
  /** Roots, keyed by tree size. Contains the requested sizes that the exported leaves reach. */
  roots: Map<number, Buffer>
  /** Predecessor of the log (S2.5); null if there is none. */
  follows: Omit<Follows, 'note'> | null
}

type Progress = (entries: number, of: number) => void

const perProgress = 10_000

/**
 * Verifies an export offline, line by line (S5.2).
 * @param key verifier key that must have signed the checkpoint; by default the key in the file
 * @param sizes tree sizes whose roots the caller needs
 * @throws NotAnExport, NoteError, Unproven, ExportFault
 */
export async function verifyExport(
  path: string,
  { key, sizes = [], progress }: { key?: string; sizes?: number[]; progress?: Progress } = {},
): Promise<Verified> {
  const { seal, begin, marks: marksRange } = readSeal(path)
  const checkpoint = signedCheckpoint(seal.note, key ?? seal.verifier_key)
  if (!checkpoint) throw new ExportFault('The checkpoint is not signed by this key.')
  if (parseOrigin(checkpoint.origin)?.log !== seal.log) throw new ExportFault('The checkpoint belongs to another log.')
  rejectOtherKeys(seal)
  const follows = readFollowed(checkpoint, seal)
  rejectOtherExtension(checkpoint, seal)
  if (marksRange.end - marksRange.begin !== marksLength(seal.entries))
    throw new ExportFault('The seal of the export is incomplete.')
  const marks = sealedMarks(path, marksRange)
  try {
    const check = new ExportCheck(seal, checkpoint, marks, sizes)
    let read = 0
    for (const line of linesUntil(path, begin)) {
      check.add(line)
      if (++read % perProgress === 0) progress?.(read, seal.entries)
    }
    check.end()
    const { proven, roots } = check
    if (seal.entries === 0 && !(proven.begin && proven.end)) {
      throw new Unproven(
        `The export does not prove that the log has no entry in the range: ${path} lacks the entries next to it.`,
      )
    }
    return { seal, checkpoint, proven, roots, follows }
  } finally {
    marks.return(undefined)
  }
}

/** Returns the checkpoint of a note; null if `key` has not signed the note. @throws NoteError for a malformed note or key */
function signedCheckpoint(note: string, key: string): Checkpoint | null {
  const text = openNote(note, parseVerifierKey(key))
  return text === null ? null : parseCheckpoint(text)
}

/** Rejects a note with several signatures, or without a signature by the key in the file. @throws ExportFault */
function rejectOtherKeys({ note, verifier_key }: ExportSeal): void {
  if (parseNote(note).signatures.length !== 1) throw new ExportFault('The checkpoint has more than one signature.')
  if (!signedCheckpoint(note, verifier_key))
    throw new ExportFault('The checkpoint is not signed by the key in the file.')
}

/**
 * Returns the predecessor that a checkpoint names.
 * @throws ExportFault if the predecessor's note in the export differs or has no valid signature
 */
function readFollowed(
  { extensions }: Checkpoint,
  { follows: statedNote, verifier_key }: ExportSeal,
): Verified['follows'] {
  const follows = parseFollows(extensions)
  if (!statedNote) return follows
  const { text, signatures } = parseNote(statedNote.note)
  const { origin, size, root } = parseCheckpoint(text)
  if (origin !== follows?.origin || size !== follows.size || root.toString('base64') !== follows.root) {
    throw new ExportFault('The export has another checkpoint of the followed log than its own checkpoint names.')
  }
  const isOwnKey = signatures.some(({ name }) => verifier_key.startsWith(`${name}+`))
  if (isOwnKey && !signedCheckpoint(statedNote.note, verifier_key)) {
    throw new ExportFault('The checkpoint of the followed log is not signed by its key.')
  }
  return follows
}

function rejectOtherExtension(checkpoint: Checkpoint, { extends: proof }: ExportSeal): void {
  if (!proof) return
  const older = { size: proof.from, root: Buffer.from(proof.root, 'base64') }
  const path = proof.path.map((hash) => Buffer.from(hash, 'base64'))
  if (!provesConsistency(older, checkpoint, path)) {
    throw new ExportFault(`The proof that the checkpoint extends an earlier one with ${proof.from} leaves is invalid.`)
  }
}

/**
 * Verifies that the newer of two exports, or of an export and a note, extends the older one (S5.3). A successor log extends its predecessor
 * up to the shared leaves. Returns the proven statement.
 * @param against path of another export or of a note; or the text of a note
 * @param requiredKey required verifier key of both; by default the key in the export
 * @throws NotAnExport, NoteError, Unproven, ExportFault
 */
export async function compareExport(path: string, against: string, requiredKey?: string): Promise<string> {
  const { seal } = readSeal(path)
  const key = requiredKey ?? seal.verifier_key
  const ownCheckpoint = signedCheckpoint(seal.note, key)
  if (!ownCheckpoint) throw new ExportFault('The checkpoint is not signed by this key.')
  const { note, file } = readNote(against)
  const otherCheckpoint = signedCheckpoint(note, key)
  if (!otherCheckpoint) throw new ExportFault('The note to compare with is not signed by this key.')
  const [newer, older] = inOrder(ownCheckpoint, otherCheckpoint)
  const follows = followedLog(newer, older)
  const sizes = [ownCheckpoint.size, otherCheckpoint.size, ...(follows ? [follows.shared, follows.size] : [])]
  const sides = [await verifyExport(path, { key, sizes })]
  if (file) sides.push(await verifyExport(file, { key, sizes }))
  rejectTwoRoots(newer, older, follows, sides)
  const what = `the log with ${newer.size} leaves`
  const isShown = sides.some((side) => provesExtension(side, older, newer))
  if (isShown || (older.size === newer.size && older.root.equals(newer.root))) {
    return `${what} extends the one with ${older.size}${follows ? `, ${older.origin}, which it follows` : ''}`
  }
  if (follows && older.size > follows.shared) {
    const roots = sides.flatMap((side) => side.roots.get(follows.shared) ?? [])
    if (roots.every((root) => root.equals(roots[0] as Buffer))) {
      throw new ExportFault(
        `RESTARTED: ${newer.origin} follows ${older.origin}, but has only the first ${follows.shared} of its ${older.size} leaves`,
      )
    }
    throw new ExportFault(
      `FORKED: ${newer.origin} does not have the first ${follows.shared} leaves of ${older.origin}, although it states so`,
    )
  }
  const isThrough = sides.some((side) => hasCheckpoint(side, newer) && side.roots.has(older.size))
  if (isThrough) throw new ExportFault(`FORKED: ${what} does not extend the one with ${older.size}`)
  throw new Unproven(
    `Neither export proves that ${what} extends the one with ${older.size}. Create the newer export with --against.`,
  )
}

/**
 * Returns the predecessor that the newer checkpoint names, if the older checkpoint belongs to that predecessor; else null.
 * @throws ExportFault if both checkpoints belong to the same log but name different predecessors (S2.5)
 */
function followedLog(newer: Checkpoint, older: Checkpoint): Verified['follows'] {
  const follows = parseFollows(newer.extensions)
  if (!isSameLog(newer.origin, older.origin)) {
    return follows && isSameLog(follows.origin, older.origin) ? follows : null
  }
  if (isDeepStrictEqual(follows, parseFollows(older.extensions))) return null
  throw new ExportFault(`FORKED: two signed statements of ${newer.origin} name different logs that it follows`)
}

/** Rejects two different signed roots for the same log size, because they prove a fork. @throws ExportFault */
function rejectTwoRoots(newer: Checkpoint, older: Checkpoint, follows: Verified['follows'], sides: Verified[]): void {
  if (!follows && !isSameLog(newer.origin, older.origin)) return
  const { size, root } = follows ?? { size: newer.size, root: newer.root.toString('base64') }
  const roots = sides.filter((side) => hasCheckpoint(side, older)).flatMap((side) => side.roots.get(size) ?? [])
  if (older.size === size) roots.push(older.root)
  if (roots.every((one) => one.toString('base64') === root)) return
  throw new ExportFault(
    `FORKED: two signed statements of ${older.origin} name different roots of its first ${size} leaves`,
  )
}

const hasCheckpoint = ({ checkpoint }: Verified, { origin, size, root }: Checkpoint): boolean =>
  checkpoint.origin === origin && checkpoint.size === size && checkpoint.root.equals(root)

/** True if two origins have the same account, log and generation. The host is ignored, because it can change. */
const isSameLog = (one: string, other: string): boolean =>
  one.split('/').slice(-2).join('/') === other.split('/').slice(-2).join('/')

/** Returns the newer checkpoint first. @throws ExportFault for checkpoints of different logs */
function inOrder(one: Checkpoint, other: Checkpoint): [newer: Checkpoint, older: Checkpoint] {
  const [a, b] = [parseOrigin(one.origin), parseOrigin(other.origin)]
  if (!a || !b || a.account !== b.account || a.log !== b.log) {
    throw new ExportFault('The two checkpoints belong to different logs.')
  }
  const isNewer = a.generation === b.generation ? one.size >= other.size : a.generation > b.generation
  return isNewer ? [one, other] : [other, one]
}

/** True if an export of the newer checkpoint proves the older checkpoint, by the exported leaves or by a consistency proof. */
function provesExtension(side: Verified, older: Checkpoint, newer: Checkpoint): boolean {
  if (side.checkpoint.size !== newer.size || !side.checkpoint.root.equals(newer.root)) return false
  if (side.roots.get(older.size)?.equals(older.root)) return true
  const proof = side.seal.extends
  return proof?.from === older.size && proof.root === older.root.toString('base64')
}

const unprovenText = (where: string): string =>
  `NOT PROVEN: that no entry is missing ${where}, because the entry next to the range is past its retention`

function describeRange({ seal, proven }: Verified): string {
  const { begin, end } = seal.range
  const isToEnd = proven.end && seal.after !== null
  const until = isToEnd ? `to ${end}` : 'to the last entry that the checkpoint covers'
  if (proven.begin && proven.end) return `complete from ${begin} ${until}, in order and unchanged`
  const missing = [
    proven.begin ? '' : `between ${begin} and the first`,
    proven.end ? '' : `between the last and ${end}`,
  ]
  return `in order, unchanged and none missing between them; ${unprovenText(missing.filter(Boolean).join(' and '))}`
}

function describeLeaves({ log, entries, before, first, last }: ExportSeal, size: number): string {
  if (entries === 0) return ''
  const from = (first?.leaf_index ?? 0) + (log === 'changes' && before ? 1 : 0)
  const to = log === 'changes' ? from + entries - 1 : (last?.leaf_index ?? size - 1)
  return `, leaves ${from} to ${to} of ${size}`
}

function describeFollowed({ follows }: Verified): string {
  if (!follows) return ''
  const { origin, size, shared, last } = follows
  const upTo = last === null ? '' : `, up to ${last}`
  return `; it follows ${origin} with ${size} leaves and has the first ${shared} of them${upTo}`
}

export function describeVerified(verified: Verified, key: string | undefined): string {
  const { seal, checkpoint } = verified
  const by = key === undefined ? ' (the key in the file: compare it with the known key, or pass --key)' : ''
  const entries = `${seal.entries} ${seal.stream} entries of ${checkpoint.origin}`
  const range = `${describeRange(verified)}${describeLeaves(seal, checkpoint.size)}`
  return `${entries}, ${range}; signed by ${key ?? seal.verifier_key}${by}${describeFollowed(verified)}`
}
