import { Overtaken } from '../log/overtaken.ts'
import { SealDamage, type SealProblem } from '../log/seal-damage.ts'
import { logName, parseOrigin, type SealedLog } from '../log/sealed-log.ts'
import type { Lease } from '../log/sealed-state.ts'
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts'
import { NoteError, openNote, parseNote, parseVerifierKey, type VerifierKey } from '../notes/signed-note.ts'
import { verifierKey } from '../notes/signing-key.ts'
import { sealStore } from './seal-store.ts'

/** A log that is being sealed. */
export type Sealing = {
  account: string
  log: SealedLog
  address: string
  lease: Lease
  /** Looked at where nothing is new, too: somebody has asked for it. */
  isAsked?: boolean
}

/** A checkpoint in the bucket, and what its object is told by. */
export type Signed = { checkpoint: Checkpoint; note: string; key: VerifierKey; tag: string }

/** Where an object of a log lies (S3). */
export const pathOf = ({ account, log, lease }: Sealing, name: string, generation = lease.generation): string =>
  `${account}/${logName(log, generation)}/${name}`

async function keysOf({ address, lease }: Sealing): Promise<VerifierKey[]> {
  const own = await verifierKey(address)
  return lease.state ? [own, parseVerifierKey(lease.state.verifier_key)] : [own]
}

/** The checkpoint under this name; null where there is none. @throws SealDamage for a note of another log, or that none of the keys has signed */
export async function readSigned(
  sealing: Sealing,
  name: string,
  generation = sealing.lease.generation,
): Promise<Signed | null> {
  const path = pathOf(sealing, name, generation)
  const stored = await sealStore().get(path)
  if (!stored) return null
  const note = stored.content.toString('utf8')
  const keys = await keysOf(sealing)
  try {
    const key = keys.find((one) => openNote(note, one) !== null)
    const checkpoint = key && parseCheckpoint(parseNote(note).text)
    const origin = checkpoint && parseOrigin(checkpoint.origin)
    const isOwn = origin?.account === sealing.account && origin.log === sealing.log && origin.generation === generation
    if (key && checkpoint && isOwn) return { checkpoint, note, key, tag: stored.tag }
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
  }
  throw new SealDamage('checkpoint', path)
}

/** Tells if the newest checkpoint of the bucket is the one that the table has. Both can have none. */
export async function hasNewest(
  account: string,
  log: SealedLog,
  { note, generation = 1 }: { note?: string; generation?: number },
): Promise<boolean> {
  const stored = await sealStore().get(`${account}/${logName(log, generation)}/checkpoint`)
  return stored?.content.toString('utf8') === note
}

/** Puts what never changes; whoever put the same before has done it. @throws SealDamage where something else is in its place */
export async function putOnce(path: string, content: string | Buffer, problem: SealProblem): Promise<void> {
  if (await sealStore().put(path, content, null)) return
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(content))) throw new SealDamage(problem, path)
}

/** Puts the newest checkpoint in the place of the one that was read. @throws Overtaken where another run has put its own meanwhile */
export async function putNewest(path: string, note: string, instead: string | null): Promise<void> {
  if (await sealStore().put(path, note, instead)) return
  // An answer that was lost is one's own, and so is the same note of a run that was as far.
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(note))) throw new Overtaken()
}
