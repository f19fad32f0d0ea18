import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf, fullDisk, messageOf, StartupError } from './fault.ts'
import { type Lock, tryLock } from './lock.ts'

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
export function tableIdentity(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true })
  return `${dev}:${ino}`
}

/** `DATA_DIR`, else `.local` in the working directory. */
export const dataPath = (): string => resolve(process.env.DATA_DIR || '.local')

/** Makes each missing directory by itself: where the system refuses one with ENOENT (`/proc`), `recursive` never ends. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** The process that has a data directory, for the sentences of others; the lock alone decides whether it still has it. */
type Holder = { pid: number; ending: boolean }

const holderFile = (path: string): string => join(path, 'service.pid')

const noteHolder = (path: string, ending: boolean): void =>
  writeAtomically(holderFile(path), JSON.stringify({ pid: process.pid, ending } satisfies Holder))

/** Notes for the next start that this service releases its directory. A full disk does not keep it from ending. */
export function noteEnding({ path }: DataDir): void {
  try {
    noteHolder(path, true)
  } catch {
    // Without the note the next start does not wait. It names the process instead.
  }
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
    if (lock) noteHolder(path, false)
  } catch (error) {
    const full = fullDisk(error, path)
    if (full) throw full
    throw new StartupError(
      `The data directory ${path} cannot be written (${errnoOf(error) ?? messageOf(error)}). Set DATA_DIR to one that can be.`,
    )
  }
  return lock && { path, ephemeral, lock }
}

const maxWaitMs = 30_000

/** Opens the data directory of a service, once an ending one has left it. @throws StartupError that names another process */
export async function claimDataDir(path: string): Promise<DataDir> {
  const end = performance.now() + maxWaitMs
  for (;;) {
    const dir = openDataDir(path)
    if (dir) return dir
    const holder = readJson<Holder>(holderFile(path))
    if (!holder?.ending || performance.now() > end) {
      const name = holder ? `Another service (process ${holder.pid})` : 'Another service'
      throw new StartupError(
        `${name} runs on the data directory ${path}. Stop it, or set DATA_DIR and PORT to start a second one.`,
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
