import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf, fullDisk, messageOf, StartupError } from './fault.ts'
import { type Lock, tryLock } from './lock.ts'

export type DataDir = { path: string; ephemeral: boolean; lock: Lock }

/** Replaces a file atomically: after a crash, the file has either the old or the new content. Only its owner can read the file. */
export function writeAtomically(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, content, { mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Identifies a directory by device and inode, so that files in a copy do not refer to the original's processes. */
export function directoryIdentity(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true })
  return `${dev}:${ino}`
}

/** Absolute path of `DATA_DIR`, or of `.local` in the working directory. */
export const dataPath = (): string => resolve(process.env.DATA_DIR || '.local')

/** Creates missing directories one by one. Node's `recursive` option hangs if the system responds with ENOENT (`/proc`). */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Process that uses a data directory, for error messages. Only the lock proves that the process still uses the directory. */
type Holder = { pid: number; ending: boolean }

const holderFile = (path: string): string => join(path, 'service.pid')

const writeHolder = (path: string, ending: boolean): void =>
  writeAtomically(holderFile(path), JSON.stringify({ pid: process.pid, ending } satisfies Holder))

/** Records that this service is stopping, so that a newly started service waits for the directory. Ignores write errors. */
export function recordStopping({ path }: DataDir): void {
  try {
    writeHolder(path, true)
  } catch {
    // Ignores the error. Without the record, a newly started service fails instead of waiting.
  }
}

/**
 * Creates and locks the data directory; undefined if another process has locked it.
 * @throws StartupError if the directory is not writable
 */
export function openDataDir(path: string, ephemeral = false): DataDir | undefined {
  let lock: Lock | undefined
  // Makes all files readable by their owner only, even if the directory is open to others. This includes the engines' files.
  process.umask(0o077)
  try {
    makeDirectory(path)
    writeAtomically(join(path, '.writable'), '')
    rmSync(join(path, '.writable'))
    lock = tryLock(join(path, 'service.lock'))
    if (lock) writeHolder(path, false)
  } catch (error) {
    const diskFault = fullDisk(error, path)
    if (diskFault) throw diskFault
    throw new StartupError(
      `The data directory ${path} cannot be written (${errnoOf(error) ?? messageOf(error)}). Set DATA_DIR to a writable directory.`,
    )
  }
  return lock && { path, ephemeral, lock }
}

const maxWaitMs = 30_000

/**
 * Opens the data directory. Waits up to 30 s for a stopping service.
 * @throws StartupError if another process uses the directory
 */
export async function claimDataDir(path: string): Promise<DataDir> {
  const end = performance.now() + maxWaitMs
  for (;;) {
    const dir = openDataDir(path)
    if (dir) return dir
    const holder = readJson<Holder>(holderFile(path))
    // Waits if there is no record, because a service removes its record just before it releases the lock.
    if (holder?.ending === false || performance.now() > end) {
      const name = holder ? `Another service (process ${holder.pid})` : 'Another service'
      throw new StartupError(
        `${name} already uses the data directory ${path}. Stop it, or set DATA_DIR and PORT to start a second service.`,
      )
    }
    await sleep(50)
  }
}

export function openTemporaryDir(): DataDir {
  const dir = openDataDir(mkdtempSync(join(tmpdir(), 'network-access-')), true)
  if (!dir) throw new Error('A new directory is locked.')
  return dir
}

export function closeDataDir({ path, ephemeral, lock }: DataDir): void {
  rmSync(holderFile(path), { force: true })
  lock.release()
  if (ephemeral) rmSync(path, { recursive: true, force: true })
}
