import { existsSync, readFileSync } from 'node:fs'
import { type Follows, parseFollows } from '../log/follows.ts'
import { parseOrigin } from '../log/sealed-log.ts'
import { provesConsistency } from '../merkle/merkle-proof.ts'
import type { Checkpoint } from '../notes/checkpoint.ts'
import { ExportCheck, ExportFault } from './check-export.ts'
import type { ExportSeal } from './export-seal.ts'
import { linesUntil, parsedCheckpoint, readSeal, signedCheckpoint } from './read-export.ts'
import { marksLength, SealedMarks } from './sealed-marks.ts'

/** An export that holds. */
export type Verified = {
  seal: ExportSeal
  checkpoint: Checkpoint
  /** Roots at the sizes that were asked for, where the export leads through them. */
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
 * @throws NoExport, ExportFault
 */
export async function verifyExport(
  path: string,
  { key, sizes = [], progress }: { key?: string; sizes?: number[]; progress?: Progress } = {},
): Promise<Verified> {
  const { seal, begin, marks: place } = readSeal(path)
  const checkpoint = signedCheckpoint(seal.note, key ?? seal.verifier_key)
  if (!checkpoint) throw new ExportFault('The checkpoint is not signed by this key.')
  if (parseOrigin(checkpoint.origin)?.log !== seal.log) throw new ExportFault('The checkpoint is of another log.')
  const follows = followedBy(checkpoint, seal)
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
    return { seal, checkpoint, roots: check.roots, follows }
  } finally {
    marks.close()
  }
}

/** What a checkpoint says of the log that it follows. @throws ExportFault where the checkpoint of that, which the export has, is another */
function followedBy({ extensions }: Checkpoint, seal: ExportSeal): Omit<Follows, 'note'> | null {
  const follows = parseFollows(extensions)
  if (!seal.follows) return follows
  const { origin, size, root } = parsedCheckpoint(seal.follows.note)
  if (origin !== follows?.origin || size !== follows.size || root.toString('base64') !== follows.root) {
    throw new ExportFault('The checkpoint of the log that this one follows is not the one that it names.')
  }
  return follows
}

/** A checkpoint to compare with, and the export that it is of, if it is of one. */
type Other = { checkpoint: Checkpoint; file: string | null }

function readOther(against: string, key: string): Other {
  const isFile = existsSync(against)
  const text = isFile ? readFileSync(against, 'utf8').slice(0, 4_096) : against
  const file = isFile && text.startsWith('{') ? against : null
  const checkpoint = signedCheckpoint(file ? readSeal(file).seal.note : text, key)
  if (!checkpoint) throw new ExportFault('The note to compare with is not signed by this key.')
  return { checkpoint, file }
}

/**
 * Tells that of an export and another, or an earlier checkpoint, the newer log extends the older one (S5.3). A log that follows
 * another extends it as far as it says.
 * @throws NoExport, ExportFault
 */
export async function compareExport(path: string, against: string, given?: string): Promise<string> {
  const key = given ?? readSeal(path).seal.verifier_key
  const own = signedCheckpoint(readSeal(path).seal.note, key)
  if (!own) throw new ExportFault('The checkpoint is not signed by this key.')
  const other = readOther(against, key)
  const [newer, older] = inOrder(own, other.checkpoint)
  const isSame = isSameLog(newer.origin, older.origin)
  const follows = isSame ? null : parseFollows(newer.extensions)
  const shared = follows && isSameLog(follows.origin, older.origin) ? follows.shared : null
  const sizes = [own.size, other.checkpoint.size, ...(shared === null ? [] : [shared])]
  const sides = [await verifyExport(path, { key, sizes })]
  if (other.file) sides.push(await verifyExport(other.file, { key, sizes }))
  const what = `the log of ${newer.size} leaves`
  const isShown = sides.some((side) => shows(side, older, newer))
  if (isShown || (older.size === newer.size && older.root.equals(newer.root))) {
    return `${what} extends that of ${older.size}${shared === null ? '' : `, ${older.origin}, which it follows`}`
  }
  if (shared !== null && older.size > shared) {
    const roots = sides.flatMap((side) => rootAt(side, shared) ?? [])
    if (roots.every((root) => root.equals(roots[0] as Buffer))) {
      throw new ExportFault(
        `BEGUN ANEW: ${newer.origin} follows ${older.origin} and has only the first ${shared} of its leaves, not all ${older.size}`,
      )
    }
    throw new ExportFault(`FORKED: ${newer.origin} has not the first ${shared} leaves of ${older.origin}, as it says`)
  }
  const isThrough = sides.some((side) => side.checkpoint.root.equals(newer.root) && rootAt(side, older.size) !== null)
  if (isThrough || (isSame && older.size === newer.size))
    throw new ExportFault(`FORKED: ${what} does not extend that of ${older.size}`)
  throw new ExportFault(
    `It is not shown that ${what} extends that of ${older.size}: neither export leads through the older one. Export with --against.`,
  )
}

/** Of one account, log and generation; the host can change. */
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

function shows({ checkpoint, roots, seal }: Verified, older: Checkpoint, newer: Checkpoint): boolean {
  if (checkpoint.size !== newer.size || !checkpoint.root.equals(newer.root)) return false
  if (roots.get(older.size)?.equals(older.root)) return true
  const proof = seal.extends?.find(({ from }) => from === older.size)
  return (
    proof !== undefined &&
    provesConsistency(
      older,
      newer,
      proof.path.map((hash) => Buffer.from(hash, 'base64')),
    )
  )
}
