import { isDeepStrictEqual } from 'node:util'
import { parseOrigin } from '../log/sealed-log.ts'
import { provesConsistency } from '../merkle/merkle-proof.ts'
import { type Checkpoint, type Follows, parseCheckpoint, parseFollows } from '../notes/checkpoint.ts'
import { openNote, parseNote, parseVerifierKey } from '../notes/signed-note.ts'
import { ExportCheck, ExportFault, type ProvenEnds } from './check-export.ts'
import { linesUntil, readNote, readSeal, sealedMarks } from './export-file.ts'
import { type ExportSeal, marksLength } from './export-seal.ts'

/** A statement that the files at hand neither prove nor refute. */
export class NotShown extends Error {}

export type Verified = {
  seal: ExportSeal
  checkpoint: Checkpoint
  proven: ProvenEnds
  /** Roots at the requested sizes, where the export leads through them. */
  roots: Map<number, Buffer>
  /** The log that this one follows (S2.5). */
  follows: Omit<Follows, 'note'> | null
}

/** Called with the number of entries that were read. */
type Progress = (entries: number, of: number) => void

const perProgress = 10_000

/**
 * Verifies an export, line by line, without a network (S5.2).
 * @param key the verifier key that the checkpoint must be signed by; by default the one in the file
 * @throws NoExport, NoteError, NotShown, ExportFault
 */
export async function verifyExport(
  path: string,
  { key, sizes = [], progress }: { key?: string; sizes?: number[]; progress?: Progress } = {},
): Promise<Verified> {
  const { seal, begin, marks: place } = readSeal(path)
  const checkpoint = signedCheckpoint(seal.note, key ?? seal.verifier_key)
  if (!checkpoint) throw new ExportFault('The checkpoint is not signed by this key.')
  if (parseOrigin(checkpoint.origin)?.log !== seal.log) throw new ExportFault('The checkpoint is of another log.')
  rejectOtherKeys(seal)
  const follows = followedBy(checkpoint, seal)
  rejectOtherExtension(checkpoint, seal)
  if (place.end - place.begin !== marksLength(seal.entries))
    throw new ExportFault('The seal of the export is not whole.')
  const marks = sealedMarks(path, place)
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
      throw new NotShown(
        `It is not shown that the log has no entry in the range: ${path} does not prove what is beside it.`,
      )
    }
    return { seal, checkpoint, proven, roots, follows }
  } finally {
    marks.return(undefined)
  }
}

/** The checkpoint of a note, unless its key has not signed it. @throws NoteError for a text that is none, or no key */
function signedCheckpoint(note: string, key: string): Checkpoint | null {
  const text = openNote(note, parseVerifierKey(key))
  return text === null ? null : parseCheckpoint(text)
}

/** @throws ExportFault for a note of several signatures, and for a key in the file that has not signed it */
function rejectOtherKeys({ note, verifier_key }: ExportSeal): void {
  if (parseNote(note).signatures.length !== 1) throw new ExportFault('The checkpoint has more than one signature.')
  if (!signedCheckpoint(note, verifier_key)) throw new ExportFault('The key that the file names has not signed it.')
}

/** The log that a checkpoint follows. @throws ExportFault where the export has another note, or an unsigned one */
function followedBy({ extensions }: Checkpoint, { follows: named, verifier_key }: ExportSeal): Verified['follows'] {
  const follows = parseFollows(extensions)
  if (!named) return follows
  const { text, signatures } = parseNote(named.note)
  const { origin, size, root } = parseCheckpoint(text)
  if (origin !== follows?.origin || size !== follows.size || root.toString('base64') !== follows.root) {
    throw new ExportFault('The checkpoint of the log that this one follows is not the one that it names.')
  }
  const isOwnKey = signatures.some(({ name }) => verifier_key.startsWith(`${name}+`))
  if (isOwnKey && !signedCheckpoint(named.note, verifier_key)) {
    throw new ExportFault('The checkpoint of the log that this one follows is not signed by its key.')
  }
  return follows
}

/** @throws ExportFault for a proof in the export that does not hold */
function rejectOtherExtension(checkpoint: Checkpoint, { extends: proof }: ExportSeal): void {
  if (!proof) return
  const older = { size: proof.from, root: Buffer.from(proof.root, 'base64') }
  const path = proof.path.map((hash) => Buffer.from(hash, 'base64'))
  if (!provesConsistency(older, checkpoint, path)) {
    throw new ExportFault(`The proof that the checkpoint extends one of ${proof.from} leaves does not hold.`)
  }
}

/**
 * Compares an export with another, or with an earlier checkpoint: the newer log extends the older one (S5.3). A log
 * that follows another extends it up to the leaf that it names.
 * @throws NoExport, NoteError, NotShown, ExportFault
 */
export async function compareExport(path: string, against: string, given?: string): Promise<string> {
  const { seal } = readSeal(path)
  const key = given ?? seal.verifier_key
  const own = signedCheckpoint(seal.note, key)
  if (!own) throw new ExportFault('The checkpoint is not signed by this key.')
  const { note, file } = readNote(against)
  const other = signedCheckpoint(note, key)
  if (!other) throw new ExportFault('The note to compare with is not signed by this key.')
  const [newer, older] = inOrder(own, other)
  const follows = followedLog(newer, older)
  const sizes = [own.size, other.size, ...(follows ? [follows.shared, follows.size] : [])]
  const sides = [await verifyExport(path, { key, sizes })]
  if (file) sides.push(await verifyExport(file, { key, sizes }))
  rejectTwoRoots(newer, older, follows, sides)
  const what = `the log of ${newer.size} leaves`
  const isShown = sides.some((side) => shows(side, older, newer))
  if (isShown || (older.size === newer.size && older.root.equals(newer.root))) {
    return `${what} extends that of ${older.size}${follows ? `, ${older.origin}, which it follows` : ''}`
  }
  if (follows && older.size > follows.shared) {
    const roots = sides.flatMap((side) => side.roots.get(follows.shared) ?? [])
    if (roots.every((root) => root.equals(roots[0] as Buffer))) {
      throw new ExportFault(
        `BEGUN ANEW: ${newer.origin} follows ${older.origin} and has only the first ${follows.shared} of its leaves, not all ${older.size}`,
      )
    }
    throw new ExportFault(
      `FORKED: ${newer.origin} has not the first ${follows.shared} leaves of ${older.origin}, as it says`,
    )
  }
  const isThrough = sides.some((side) => isOf(side, newer) && side.roots.has(older.size))
  if (isThrough) throw new ExportFault(`FORKED: ${what} does not extend that of ${older.size}`)
  throw new NotShown(
    `It is not shown that ${what} extends that of ${older.size}: neither export leads through the older one. Export with --against.`,
  )
}

/**
 * The lines of the newer checkpoint about the log of the older one, where it follows that.
 * @throws ExportFault for checkpoints of one log with different lines (S2.5)
 */
function followedLog(newer: Checkpoint, older: Checkpoint): Verified['follows'] {
  const follows = parseFollows(newer.extensions)
  if (!isSameLog(newer.origin, older.origin)) {
    return follows && isSameLog(follows.origin, older.origin) ? follows : null
  }
  if (isDeepStrictEqual(follows, parseFollows(older.extensions))) return null
  throw new ExportFault(`FORKED: two signed statements of ${newer.origin} name different logs that it follows`)
}

/** @throws ExportFault for two signed statements of one size of a log with different roots, which prove a fork */
function rejectTwoRoots(newer: Checkpoint, older: Checkpoint, follows: Verified['follows'], sides: Verified[]): void {
  if (!follows && !isSameLog(newer.origin, older.origin)) return
  const { size, root } = follows ?? { size: newer.size, root: newer.root.toString('base64') }
  const known = sides.filter((side) => isOf(side, older)).flatMap((side) => side.roots.get(size) ?? [])
  if (older.size === size) known.push(older.root)
  if (known.every((one) => one.toString('base64') === root)) return
  throw new ExportFault(
    `FORKED: two signed statements of ${older.origin} name different roots of its first ${size} leaves`,
  )
}

/** True for an export of this very checkpoint. */
const isOf = ({ checkpoint }: Verified, { origin, size, root }: Checkpoint): boolean =>
  checkpoint.origin === origin && checkpoint.size === size && checkpoint.root.equals(root)

/** True for origins of one account, log and generation; the host can change. */
const isSameLog = (one: string, other: string): boolean =>
  one.split('/').slice(-2).join('/') === other.split('/').slice(-2).join('/')

/** The newer one first. @throws ExportFault for those of different logs */
function inOrder(one: Checkpoint, other: Checkpoint): [newer: Checkpoint, older: Checkpoint] {
  const [a, b] = [parseOrigin(one.origin), parseOrigin(other.origin)]
  if (!a || !b || a.account !== b.account || a.log !== b.log) {
    throw new ExportFault('The two checkpoints are of different logs.')
  }
  const isNewer = a.generation === b.generation ? one.size >= other.size : a.generation > b.generation
  return isNewer ? [one, other] : [other, one]
}

/** True where an export of the newer checkpoint leads through the older one, or has the proof of it. */
function shows(side: Verified, older: Checkpoint, newer: Checkpoint): boolean {
  if (side.checkpoint.size !== newer.size || !side.checkpoint.root.equals(newer.root)) return false
  if (side.roots.get(older.size)?.equals(older.root)) return true
  const proof = side.seal.extends
  return proof?.from === older.size && proof.root === older.root.toString('base64')
}

const notShown = (where: string): string =>
  `NOT SHOWN: that none is missing ${where}, since the entry next to them is past its retention`

/** The part of a range that is proven, and what is not proven of it. */
function describeRange({ seal, proven }: Verified): string {
  const { begin, end } = seal.range
  const isToEnd = proven.end && seal.after !== null
  const until = isToEnd ? `to ${end}` : 'to the last entry that the checkpoint covers'
  if (proven.begin && proven.end) return `complete from ${begin} ${until}, in order and unchanged`
  const missing = [
    proven.begin ? '' : `between ${begin} and the first`,
    proven.end ? '' : `between the last and ${end}`,
  ]
  return `in order, unchanged and none missing between them; ${notShown(missing.filter(Boolean).join(' and '))}`
}

/** The leaves of the entries themselves, or of the hours that they are in. */
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
  return `; it follows ${origin} of ${size} leaves, of which it has the first ${shared}${upTo}`
}

/** The statement that a verified export proves, in one line. */
export function describeVerified(verified: Verified, key: string | undefined): string {
  const { seal, checkpoint } = verified
  const by = key === undefined ? ' (the key that the file names: compare it, or give --key)' : ''
  const entries = `${seal.entries} ${seal.stream} entries of ${checkpoint.origin}`
  const range = `${describeRange(verified)}${describeLeaves(seal, checkpoint.size)}`
  return `${entries}, ${range}; signed by ${key ?? seal.verifier_key}${by}${describeFollowed(verified)}`
}
