/** Error that the user can fix. It is printed as one line without a stack, and the exit code is 1. */
export class StartupError extends Error {
  override name = 'StartupError'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Node's error code, for example `ENOENT`. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const fullDiskPattern =
  /\b(ENOSPC|EDQUOT|EFBIG)\b|No space left on device|disk is full|Disk quota exceeded|File too large/

export const isFullDisk = (message: string): boolean => fullDiskPattern.test(message)

/** Converts a disk-full error of Node, SQLite or LevelDB; undefined for any other error. */
export const fullDisk = (error: unknown, dir: string): StartupError | undefined =>
  error instanceof Error && isFullDisk(error.message)
    ? new StartupError(
        `The disk of the data directory ${dir} is full. Free some space and start again. No confirmed change is lost.`,
      )
    : undefined

/** True for a `StartupError`, also for one from another bundle or thread, which have their own class. */
export const isStartupError = (error: unknown): boolean => error instanceof Error && error.name === 'StartupError'

/** Returns the message of a `StartupError`, and the stack of any other error. */
export const faultText = (error: unknown): string =>
  error instanceof Error && !isStartupError(error) ? (error.stack ?? error.message) : messageOf(error)

export const reportFault = (error: unknown): boolean => process.stderr.write(`${faultText(error)}\n`)
