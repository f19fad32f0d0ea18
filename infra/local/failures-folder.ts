import { globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FailedBatches } from '#shared/jobs/failed-batches/redrive.ts'

/** What stands here for the bucket of failed batches: a folder for each consumer. */
export function failuresFolder(dir: string): FailedBatches {
  const folder = join(dir, 'failed')
  return {
    // By the time that the names of the files begin with, whatever consumer they are of.
    list: async () => globSync('*/*.json', { cwd: folder }).sort((a, b) => (basename(a) < basename(b) ? -1 : 1)),
    read: async (name) => readFileSync(join(folder, name), 'utf8'),
    remove: async (name) => rmSync(join(folder, name)),
  }
}
