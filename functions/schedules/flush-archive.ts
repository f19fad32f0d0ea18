import { flushArchive } from '#shared/archive/flush-archive.ts'
import { scheduled } from '#shared/core/logging/watched.ts'

/** Runs every 5 minutes and flushes due hours to the archive (R3.1). A run ends two minutes before its timeout. */
export const handler = scheduled('flush-archive', 780_000, flushArchive)
