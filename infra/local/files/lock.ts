import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Lock between processes, implemented as SQLite's lock on an empty file. The operating system releases the lock when its holder
 * dies.
 */
export type Lock = { release(): void }

export const tryLock = (file: string): Lock | undefined => tryTransaction(file, 'BEGIN EXCLUSIVE')

/** Takes a lock that several processes can hold at the same time, but not together with an exclusive one. */
export const trySharedLock = (file: string): Lock | undefined =>
  tryTransaction(file, 'BEGIN; SELECT * FROM sqlite_schema')

function tryTransaction(file: string, begin: string): Lock | undefined {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec(begin)
    return { release: () => db.close() }
  } catch (error) {
    db.close()
    // SQLITE_BUSY: another process holds the lock.
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
}

export async function waitForLock(file: string, milliseconds: number): Promise<Lock | undefined> {
  const end = performance.now() + milliseconds
  for (;;) {
    const lock = tryLock(file)
    if (lock || performance.now() > end) return lock
    await sleep(50)
  }
}
