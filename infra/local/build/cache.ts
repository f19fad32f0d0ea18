import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readJson } from '../files/data-dir.ts'
import { errnoOf } from '../files/fault.ts'
import { type Lock, tryLock, trySharedLock } from '../files/lock.ts'

/**
 * Returns the folder of the cache: in `node_modules`, or in the data directory if `node_modules` is not writable. Built files load native
 * packages from `node_modules`, so the data directory gets a link to it.
 */
export function openCache(
  dataDir: string,
  packages = fileURLToPath(new URL('../../../node_modules', import.meta.url)),
): string {
  try {
    const cache = join(packages, '.cache/network-access')
    mkdirSync(cache, { recursive: true })
    accessSync(cache, constants.W_OK)
    return cache
  } catch {
    const cache = join(dataDir, 'cache')
    mkdirSync(cache, { recursive: true })
    const link = join(cache, 'node_modules')
    // Replaces the link only if the data directory was used by another checkout, because a running service needs it.
    if (!existsSync(link) || realpathSync(link) !== realpathSync(packages)) {
      rmSync(link, { force: true })
      symlinkSync(packages, link, 'junction')
    }
    return cache
  }
}

const lockFile = (folder: string) => join(folder, 'lock')
const manifestFile = (folder: string) => join(folder, 'manifest.json')

/** Compares the sizes of all files with the manifest, because a crash of the machine or a user can damage them. */
function isComplete(folder: string): boolean {
  const sizes = readJson<Record<string, number>>(manifestFile(folder))
  return (
    sizes !== undefined &&
    Object.entries(sizes).every(
      ([name, size]) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === size,
    )
  )
}

/** Locks a folder against removal; undefined if the folder is missing or damaged. */
function lockComplete(folder: string): Lock | undefined {
  try {
    const lock = trySharedLock(lockFile(folder))
    if (lock && isComplete(folder)) return lock
    lock?.release()
  } catch {
    // Ignores the error. A folder that cannot be locked is built again.
  }
}

/** Locks of the folders that this process uses. The service loads functions lazily, so it holds them until it exits. */
const locks: Lock[] = []

/** Reserves a folder for this process; false if the folder is missing or damaged. */
export function reserve(folder: string): boolean {
  const lock = lockComplete(folder)
  if (!lock) return false
  locks.push(lock)
  try {
    // Records the use, because `removeUnused` keeps the folders that were used last.
    utimesSync(folder, new Date(), new Date())
  } catch {
    // Ignores the error for a folder of another user, which is then removed earlier.
  }
  return true
}

/** Moves a built folder into place. A folder that another process has put there remains, unless it is damaged. */
export function install(built: string, folder: string): void {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sizes = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name)
    return [relative(built, path), statSync(path).size]
  })
  writeFileSync(lockFile(built), '')
  writeFileSync(manifestFile(built), JSON.stringify(Object.fromEntries(sizes)))
  const damaged = `${built}.damaged`
  try {
    // Tries again, because another process may replace the same damaged folder.
    for (let tries = 1; !tryRename(built, folder, tries === 3); tries++) {
      const existing = lockComplete(folder)
      existing?.release()
      if (existing) break
      tryRename(folder, damaged, false)
    }
  } finally {
    for (const rest of [built, damaged]) rmSync(rest, { recursive: true, force: true })
  }
}

const raceErrors = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT']

/** Renames a folder. Returns false if another process was faster, or throws the error if `isLastTry`. */
function tryRename(from: string, to: string, isLastTry: boolean): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (isLastTry || !raceErrors.includes(errnoOf(error) ?? '')) throw error
    return false
  }
}

const maxUnused = 6
const minAgeMs = 60_000

/** Removes all but the folders that were used last. Keeps folders that a process uses, and new ones, which are perhaps not complete. */
export function removeUnused(cache: string): void {
  const folders = readdirSync(cache, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  // Skips folders that another process moves or removes at the same time.
  const ages = folders.flatMap(({ name }) => {
    const stats = statSync(join(cache, name), { throwIfNoEntry: false })
    return stats ? [{ folder: join(cache, name), usedAt: stats.mtimeMs }] : []
  })
  const old = ages.sort((a, b) => b.usedAt - a.usedAt).slice(maxUnused)
  for (const { folder, usedAt } of old) {
    if (Date.now() - usedAt < minAgeMs) continue
    try {
      const lock = tryLock(lockFile(folder))
      if (!lock) continue
      rmSync(folder, { recursive: true, force: true })
      lock.release()
    } catch {
      // Ignores the error. The next build tries again.
    }
  }
}
