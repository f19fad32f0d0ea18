/** What the person at the terminal can repair: one line, exit code 1, no stack trace. */
export class Fault extends Error {
  override name = 'Fault'
}

const full = /\b(ENOSPC|EDQUOT|EFBIG)\b|No space left on device|disk is full|Disk quota exceeded|File too large/

/** What a disk without room does to Node, SQLite and LevelDB, as one line; undefined for any other error. */
export const fullDisk = (error: unknown, dir: string): Fault | undefined =>
  error instanceof Error && full.test(error.message)
    ? new Fault(
        `The disk of the data directory ${dir} is full. Free some space and start again: nothing that was answered is lost.`,
      )
    : undefined

export function reportFault(error: unknown): void {
  const text = error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : error
  process.stderr.write(`${text}\n`)
}
