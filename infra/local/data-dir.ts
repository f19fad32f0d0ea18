import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Lock, tryLock } from './engines/lock.ts'
import { codeOf, Fault, fullDisk, messageOf } from './fault.ts'

export type DataDir = { path: string; ephemeral: boolean; lock: Lock }

/** Writes a file so that a reader, or a crash, sees the old one or the new one and never a part. */
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

/** Tells a directory from a copy of it: what names a process in a file is copied with all else, and must lead to none from there. */
export function identityOf(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true })
  return `${dev}:${ino}`
}

/** `DATA_DIR`, else `.local` in the working directory. */
export const dataPath = (): string => resolve(process.env.DATA_DIR || '.local')

/** One directory after the other: where the system refuses a new one with ENOENT (`/proc`), `recursive` never ends. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Makes and locks the data directory. Undefined when another process has it. */
export function openDataDir(path: string, ephemeral = false): DataDir | undefined {
  let lock: Lock | undefined
  // All that is written into it is for its owner alone, also by the engines, and where the directory itself is open to others.
  process.umask(0o077)
  try {
    makeDirectory(path)
    writeAtomically(join(path, '.writable'), '')
    rmSync(join(path, '.writable'))
    lock = tryLock(join(path, 'service.lock'))
  } catch (error) {
    const full = fullDisk(error, path)
    if (full) throw full
    throw new Fault(
      `The data directory ${path} cannot be written (${codeOf(error) ?? messageOf(error)}). Set DATA_DIR to one that can be.`,
    )
  }
  return lock && { path, ephemeral, lock }
}

export function openTemporaryDir(): DataDir {
  const dir = openDataDir(mkdtempSync(join(tmpdir(), 'network-access-')), true)
  if (!dir) throw new Error('A new directory is locked.')
  return dir
}

export function closeDataDir({ path, ephemeral, lock }: DataDir): void {
  lock.release()
  if (ephemeral) rmSync(path, { recursive: true, force: true })
}
