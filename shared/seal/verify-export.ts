import { existsSync, readFileSync } from 'node:fs'
import { ExportCheck, ExportFault } from './check-export.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { ExportSeal } from './export-seal.ts'
import { provesConsistency } from './merkle-proof.ts'
import { linesUntil, readSeal, signedCheckpoint } from './read-export.ts'

/** An export that holds. */
export type Verified = {
  seal: ExportSeal
  checkpoint: Checkpoint
  /** Roots at the sizes that were asked for, where the export leads through them. */
  roots: Map<number, Buffer>
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
  const { seal, begin } = readSeal(path)
  const checkpoint = signedCheckpoint(seal.note, key ?? seal.verifier_key)
  if (!checkpoint) throw new ExportFault('The checkpoint is not signed by this key.')
  if (!checkpoint.origin.endsWith(`/${seal.log}`)) throw new ExportFault('The checkpoint is of another log.')
  const check = new ExportCheck(seal, checkpoint, sizes)
  let read = 0
  for await (const line of linesUntil(path, begin)) {
    check.add(line)
    if (++read % perProgress === 0) progress?.(read, seal.entries)
  }
  check.end()
  return { seal, checkpoint, roots: check.roots }
}

/** A checkpoint to compare with: of an export, or a note alone. */
type Other = { checkpoint: Checkpoint; verified: Verified | null; proofs: ExportSeal['extends'] }

async function readOther(against: string, key: string, sizes: number[]): Promise<Other> {
  const isFile = existsSync(against)
  const text = isFile ? readFileSync(against, 'utf8').slice(0, 4_096) : against
  if (isFile && text.startsWith('{')) {
    const verified = await verifyExport(against, { key, sizes })
    return { checkpoint: verified.checkpoint, verified, proofs: verified.seal.extends }
  }
  const checkpoint = signedCheckpoint(text, key)
  if (!checkpoint) throw new ExportFault('The note to compare with is not signed by this key.')
  return { checkpoint, verified: null, proofs: undefined }
}

/** Account and log of an origin; its host can change. */
const logOf = ({ origin }: Checkpoint): string => origin.split('/').slice(-2).join('/')

/**
 * Tells that of an export and another, or an earlier checkpoint, the newer log extends the older one (S5.3).
 * @throws NoExport, ExportFault
 */
export async function compareExport(path: string, against: string, given?: string): Promise<string> {
  const key = given ?? readSeal(path).seal.verifier_key
  const own = signedCheckpoint(readSeal(path).seal.note, key)
  if (!own) throw new ExportFault('The checkpoint is not signed by this key.')
  const other = await readOther(against, key, [own.size])
  if (logOf(own) !== logOf(other.checkpoint)) throw new ExportFault('The two checkpoints are of different logs.')
  const verified = await verifyExport(path, { key, sizes: [other.checkpoint.size] })
  const ownIsNewer = own.size >= other.checkpoint.size
  const [newer, older] = ownIsNewer ? [own, other.checkpoint] : [other.checkpoint, own]
  const sides = [verified, other.verified].filter((side) => side !== null)
  const isShown = sides.some((side) => shows(side, older, newer))
  if (isShown || (older.size === newer.size && older.root.equals(newer.root))) {
    return `the log of ${newer.size} leaves extends that of ${older.size}`
  }
  const isRefuted = older.size === newer.size || sides.some((side) => rootAt(side, older.size) !== null)
  if (isRefuted) throw new ExportFault(`FORKED: the log of ${newer.size} leaves does not extend that of ${older.size}`)
  throw new ExportFault(
    `It is not shown that the log of ${newer.size} leaves extends that of ${older.size}: neither export leads through the older one. Export with --against.`,
  )
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
