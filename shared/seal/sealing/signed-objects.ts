import { sealStore } from '../../core/aws/object-store.ts'
import { SealConflict, SealDamage, type SealProblem } from '../log/seal-damage.ts'
import { logName, parseOrigin, type SealedLog } from '../log/sealed-log.ts'
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts'
import { NoteError, openNote, parseNote, parseVerifierKey, type VerifierKey } from '../notes/signed-note.ts'
import { verifierKey } from '../notes/signing-key.ts'
import type { Lease } from './sealed-state.ts'

/** Run that seals one log under a lease. `address` is the public address of the service. */
export type Sealing = { account: string; log: SealedLog; address: string; lease: Lease; alwaysCompare?: boolean }

/** Signed checkpoint in the bucket. `key` verifies the note, and `tag` is the ETag of the object. */
export type SignedCheckpoint = { checkpoint: Checkpoint; note: string; key: VerifierKey; tag: string }

export const pathOf = ({ account, log, lease }: Sealing, name: string, generation = lease.generation): string =>
  `${account}/${logName(log, generation)}/${name}`

export const damageOf = (sealing: Sealing, problem: SealProblem, name = 'checkpoint'): SealDamage =>
  new SealDamage(problem, pathOf(sealing, name))

/** Keys that may have signed the log: the current key, and the key of the newest checkpoint. */
async function verifierKeys({ address, lease }: Sealing): Promise<VerifierKey[]> {
  const currentKey = await verifierKey(address)
  return lease.state ? [currentKey, parseVerifierKey(lease.state.verifier_key)] : [currentKey]
}

/**
 * Reads and verifies a checkpoint in the bucket. Returns null if the checkpoint is absent.
 * @throws SealDamage if the checkpoint belongs to a different log or key
 */
export async function readSigned(
  sealing: Sealing,
  name: string,
  generation = sealing.lease.generation,
): Promise<SignedCheckpoint | null> {
  const path = pathOf(sealing, name, generation)
  const stored = await sealStore().get(path)
  if (!stored) return null
  const note = stored.content.toString('utf8')
  const keys = await verifierKeys(sealing)
  try {
    const key = keys.find((one) => openNote(note, one) !== null)
    const checkpoint = key && parseCheckpoint(parseNote(note).text)
    const origin = checkpoint && parseOrigin(checkpoint.origin)
    const isSameLog =
      origin?.account === sealing.account && origin.log === sealing.log && origin.generation === generation
    if (key && checkpoint && isSameLog) return { checkpoint, note, key, tag: stored.tag }
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
  }
  throw new SealDamage('checkpoint', path)
}

/** True if bucket and table have the same newest checkpoint, or if neither has one. */
export async function hasNewest(
  account: string,
  log: SealedLog,
  { note, generation = 1 }: { note?: string; generation?: number },
): Promise<boolean> {
  const stored = await sealStore().get(`${account}/${logName(log, generation)}/checkpoint`)
  return stored?.content.toString('utf8') === note
}

/** Puts an immutable object. Idempotent. @throws SealDamage if the path has different content */
export async function putOnce(path: string, content: string | Buffer, problem: SealProblem): Promise<void> {
  if (await sealStore().put(path, content, null)) return
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(content))) throw new SealDamage(problem, path)
}

/**
 * Replaces the newest checkpoint if its ETag is still `expectedTag`.
 * @throws SealConflict if another run replaced the checkpoint
 */
export async function putNewest(path: string, note: string, expectedTag: string | null): Promise<void> {
  if (await sealStore().put(path, note, expectedTag)) return
  // A stored note with the same text is not a conflict. Either this run's response was lost, or another run signed the same tree.
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(note))) throw new SealConflict()
}
