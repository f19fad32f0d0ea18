import { hash, randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { hasStatus, s3 } from '../../core/aws/s3.ts'
import { env } from '../../core/env.ts'
import { Overtaken, SealDamage, type SealProblem } from '../log/seal-damage.ts'
import { logName, parseOrigin, type SealedLog } from '../log/sealed-log.ts'
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts'
import { NoteError, openNote, parseNote, parseVerifierKey, type VerifierKey } from '../notes/signed-note.ts'
import { verifierKey } from '../notes/signing-key.ts'
import type { Lease } from './sealed-state.ts'

export type Sealing = {
  account: string
  log: SealedLog
  address: string
  lease: Lease
  /** Compared with the bucket even where nothing is new. */
  isAsked?: boolean
}

/** A checkpoint in the bucket, and the tag of its object. */
export type Signed = { checkpoint: Checkpoint; note: string; key: VerifierKey; tag: string }

/** Path of an object of a log (S3). */
export const pathOf = ({ account, log, lease }: Sealing, name: string, generation = lease.generation): string =>
  `${account}/${logName(log, generation)}/${name}`

export const damageOf = (sealing: Sealing, problem: SealProblem, name = 'checkpoint'): SealDamage =>
  new SealDamage(problem, pathOf(sealing, name))

async function keysOf({ address, lease }: Sealing): Promise<VerifierKey[]> {
  const own = await verifierKey(address)
  return lease.state ? [own, parseVerifierKey(lease.state.verifier_key)] : [own]
}

/** The checkpoint under this name; null for none. @throws SealDamage for a note of another log or key */
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

/** True where bucket and table have the same newest checkpoint, or none. */
export async function hasNewest(
  account: string,
  log: SealedLog,
  { note, generation = 1 }: { note?: string; generation?: number },
): Promise<boolean> {
  const stored = await sealStore().get(`${account}/${logName(log, generation)}/checkpoint`)
  return stored?.content.toString('utf8') === note
}

/** Puts an object that never changes; idempotent. @throws SealDamage where another one is in its place */
export async function putOnce(path: string, content: string | Buffer, problem: SealProblem): Promise<void> {
  if (await sealStore().put(path, content, null)) return
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(content))) throw new SealDamage(problem, path)
}

/** Replaces the newest checkpoint that was read. @throws Overtaken where another run has put its own meanwhile */
export async function putNewest(path: string, note: string, instead: string | null): Promise<void> {
  if (await sealStore().put(path, note, instead)) return
  // An equal note comes from this run, whose answer was lost, or from another run at the same size.
  const stored = await sealStore().get(path)
  if (!stored?.content.equals(Buffer.from(note))) throw new Overtaken()
}

/** An object, and the tag of this version of it. */
type Stored = { content: Buffer; tag: string }

/** Store of tiles and checkpoints (S3). */
type SealStore = {
  get(path: string): Promise<Stored | null>
  /** Replaces the object with this tag, null for none. False where another is there: a late run overwrites nothing. */
  put(path: string, content: string | Buffer, instead: string | null): Promise<boolean>
}

const bucket: SealStore = {
  async get(Key) {
    try {
      const { Body, ETag = '' } = await s3().send(new GetObjectCommand({ Bucket: env.sealBucket, Key }))
      return { content: Buffer.from((await Body?.transformToByteArray()) ?? []), tag: ETag }
    } catch (error) {
      if (hasStatus(error, 404)) return null
      throw error
    }
  },
  async put(Key, content, instead) {
    const Body = Buffer.from(content)
    // A bucket with Object Lock takes no object without its checksum.
    const ChecksumSHA256 = hash('sha256', Body, 'base64')
    const condition = instead === null ? { IfNoneMatch: '*' } : { IfMatch: instead }
    try {
      await s3().send(new PutObjectCommand({ Bucket: env.sealBucket, Key, Body, ChecksumSHA256, ...condition }))
      return true
    } catch (error) {
      // 409: a concurrent write of the same object. 404: the object to replace is gone.
      if (hasStatus(error, 412, 409, 404)) return false
      throw error
    }
  },
}

/** The store on one machine: a folder of a single process. A file exists as a whole or not at all. */
const folder = (root: string): SealStore => {
  const { join, dirname } = process.getBuiltinModule('node:path')
  const fs = process.getBuiltinModule('node:fs')
  const read = (path: string): Stored | null => {
    try {
      const content = fs.readFileSync(join(root, path))
      return { content, tag: hash('sha256', content) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
  return {
    get: async (path) => read(path),
    async put(path, content, instead) {
      const file = join(root, path)
      await fs.promises.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.${randomUUID()}.tmp`
      await fs.promises.writeFile(temporary, content, { mode: 0o600 })
      // Synchronous, so that nothing comes between the check and the change.
      const isExpected = (read(path)?.tag ?? null) === instead
      if (isExpected) fs.renameSync(temporary, file)
      else fs.rmSync(temporary)
      return isExpected
    },
  }
}

export const sealStore = (): SealStore => (env.sealFolder ? folder(env.sealFolder) : bucket)
