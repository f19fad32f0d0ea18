import { isDeepStrictEqual } from 'node:util'
import { type Follows, parseFollows } from '../log/follows.ts'
import { parseOrigin } from '../log/sealed-log.ts'
import { provesConsistency } from '../merkle/merkle-proof.ts'
import type { Checkpoint } from '../notes/checkpoint.ts'
import { ExportCheck, ExportFault, type ProvenEnds } from './check-export.ts'
import { linesUntil } from './export-file.ts'
import { type ExportSeal, marksLength } from './export-seal.ts'
import { parsedCheckpoint, readNote, readSeal, signedCheckpoint, signersOf } from './read-export.ts'
import { SealedMarks } from './sealed-marks.ts'

/** A statement that the files at hand neither prove nor refute. */
export class NotShown extends Error {}

/** Result of verifying an export that passed every check. */
export type Verified = {
  seal: ExportSeal
  checkpoint: Checkpoint
  proven: ProvenEnds
  /** Roots at the requested sizes, where the export leads through them. */
  roots: Map<number, Buffer>
  /** The log that this one follows (S2.5). */
  follows: Omit<Follows, 'note'> | null
}

/** Called with how many entries were read. */
type Progress = (entries: number, of: number) => void

const perProgress = 10_000

/**
 * Verifies an export, line by line, without a network (S5.2).
 * @param key the verifier key that the checkpoint must be signed by; without it that which the file names
 * @throws NoExport, NotShown, ExportFault
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
  const marks = new SealedMarks(place)
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
    marks.close()
  }
}

/** @throws ExportFault for a note of several signatures, and for a key in the file that has not signed it */
function rejectOtherKeys({ note, verifier_key }: ExportSeal): void {
  if (signersOf(note).length !== 1) throw new ExportFault('The checkpoint has more than one signature.')
  if (!signedCheckpoint(note, verifier_key)) throw new ExportFault('The key that the file names has not signed it.')
}

/** The log that a checkpoint follows. @throws ExportFault where the note of that log, which the export has, is another */
function followedBy({ extensions }: Checkpoint, { follows: named, verifier_key }: ExportSeal): Verified['follows'] {
  const follows = parseFollows(extensions)
  if (!named) return follows
  const { origin, size, root } = parsedCheckpoint(named.note)
  if (origin !== follows?.origin || size !== follows.size || root.toString('base64') !== follows.root) {
    throw new ExportFault('The checkpoint of the log that this one follows is not the one that it names.')
  }
  const isOwnKey = signersOf(named.note).some((name) => verifier_key.startsWith(`${name}+`))
  if (isOwnKey && !signedCheckpoint(named.note, verifier_key)) {
    throw new ExportFault('The checkpoint of the log that this one follows is not signed by its key.')
  }
  return follows
}

const bytesOf = (hashes: string[]): Buffer[] => hashes.map((hash) => Buffer.from(hash, 'base64'))

/** @throws ExportFault for a proof in the export that does not hold */
function rejectOtherExtension(checkpoint: Checkpoint, { extends: proof }: ExportSeal): void {
  if (!proof) return
  const older = { size: proof.from, root: Buffer.from(proof.root, 'base64') }
  if (!provesConsistency(older, checkpoint, bytesOf(proof.path))) {
    throw new ExportFault(`The proof that the checkpoint extends one of ${proof.from} leaves does not hold.`)
  }
}

/** A checkpoint to compare with, and the export that it is of, if it is of one. */
type Other = { checkpoint: Checkpoint; file: string | null }

function readOther(against: string, key: string): Other {
  const { note, file } = readNote(against)
  const checkpoint = signedCheckpoint(note, key)
  if (!checkpoint) throw new ExportFault('The note to compare with is not signed by this key.')
  return { checkpoint, file }
}

/**
 * Compares an export with another, or with an earlier checkpoint: the newer log extends the older one (S5.3). A log
 * that follows another extends it up to the leaf that it names.
 * @throws NoExport, NotShown, ExportFault
 */
export async function compareExport(path: string, against: string, given?: string): Promise<string> {
  const { seal } = readSeal(path)
  const key = given ?? seal.verifier_key
  const own = signedCheckpoint(seal.note, key)
  if (!own) throw new ExportFault('The checkpoint is not signed by this key.')
  const other = readOther(against, key)
  const [newer, older] = inOrder(own, other.checkpoint)
  const isSame = isSameLog(newer.origin, older.origin)
  const named = isSame ? null : parseFollows(newer.extensions)
  if (isSame) rejectOtherFollows(newer, older)
  const follows = named && isSameLog(named.origin, older.origin) ? named : null
  const sizes = [own.size, other.checkpoint.size, ...(follows ? [follows.shared, follows.size] : [])]
  const sides = [await verifyExport(path, { key, sizes })]
  if (other.file) sides.push(await verifyExport(other.file, { key, sizes }))
  rejectTwoRoots(newer, older, follows, sides)
  const what = `the log of ${newer.size} leaves`
  const isShown = sides.some((side) => shows(side, older, newer))
  if (isShown || (older.size === newer.size && older.root.equals(newer.root))) {
    return `${what} extends that of ${older.size}${follows ? `, ${older.origin}, which it follows` : ''}`
  }
  if (follows && older.size > follows.shared) {
    const roots = sides.flatMap((side) => rootAt(side, follows.shared) ?? [])
    if (roots.every((root) => root.equals(roots[0] as Buffer))) {
      throw new ExportFault(
        `BEGUN ANEW: ${newer.origin} follows ${older.origin} and has only the first ${follows.shared} of its leaves, not all ${older.size}`,
      )
    }
    throw new ExportFault(
      `FORKED: ${newer.origin} has not the first ${follows.shared} leaves of ${older.origin}, as it says`,
    )
  }
  const isThrough = sides.some((side) => isOf(side, newer) && rootAt(side, older.size) !== null)
  if (isThrough) throw new ExportFault(`FORKED: ${what} does not extend that of ${older.size}`)
  throw new NotShown(
    `It is not shown that ${what} extends that of ${older.size}: neither export leads through the older one. Export with --against.`,
  )
}

/** @throws ExportFault for two signed statements of one size of a log with different roots, which prove a fork */
function rejectTwoRoots(newer: Checkpoint, older: Checkpoint, follows: Verified['follows'], sides: Verified[]): void {
  const forked = (size: number) =>
    new ExportFault(`FORKED: two signed statements of ${older.origin} name different roots of its first ${size} leaves`)
  if (!follows) {
    if (isSameLog(newer.origin, older.origin) && newer.size === older.size && !newer.root.equals(older.root))
      throw forked(older.size)
    return
  }
  const { size } = follows
  const known = sides.filter((side) => isOf(side, older)).flatMap((side) => rootAt(side, size) ?? [])
  if (older.size === size) known.push(older.root)
  if (known.some((root) => root.toString('base64') !== follows.root)) throw forked(size)
}

/** @throws ExportFault for checkpoints of one log that name different logs before it: each of them has the same lines (S2.5) */
function rejectOtherFollows(newer: Checkpoint, older: Checkpoint): void {
  const [one, other] = [parseFollows(newer.extensions), parseFollows(older.extensions)]
  if (isDeepStrictEqual(one, other)) return
  throw new ExportFault(`FORKED: two signed statements of ${newer.origin} name different logs that it follows`)
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

const rootAt = ({ roots }: Verified, size: number): Buffer | null => {
  const root = roots.get(size)
  return root && root.length > 0 ? root : null
}

/** True where an export of the newer checkpoint leads through the older one, or has the proof of it. */
function shows(side: Verified, older: Checkpoint, newer: Checkpoint): boolean {
  if (side.checkpoint.size !== newer.size || !side.checkpoint.root.equals(newer.root)) return false
  if (side.roots.get(older.size)?.equals(older.root)) return true
  const proof = side.seal.extends
  return proof?.from === older.size && proof.root === older.root.toString('base64')
}
