import { Fault } from '../fault.ts'
import type { ExportOptions } from './export-options.ts'
import type { Entry, Proof } from './log-answers.ts'
import type { LogClient } from './log-client.ts'

export type Covered = { entry: Entry; proof: Proof }

/** The proof of an entry in the log of a size; null where that does not cover it yet. */
export const proofOf = async (client: LogClient, id: string, size: number): Promise<Proof | null> => {
  const { status, body } = await client.ask(`/logs/${id}/proof`, { size: String(size) })
  if (status === 200) return body.data
  if (status === 409 || status === 400) return null
  throw new Fault(`GET /logs/${id}/proof answers ${status}: ${body.detail ?? ''}`)
}

/** The newest entry of the range that the checkpoint covers. */
export async function lastCovered(client: LogClient, range: ExportOptions, size: number): Promise<Covered | null> {
  for await (const entries of client.pages(range)) {
    const found = await newestCovered(client, entries, size)
    if (found) return found
  }
  return null
}

/** Of entries, newest first: behind the first that is covered all are. */
async function newestCovered(client: LogClient, entries: Entry[], size: number): Promise<Covered | null> {
  let [low, high] = [0, entries.length]
  let found: Covered | null = null
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = entries[middle] as Entry
    const proof = await proofOf(client, entry.log_id, size)
    if (proof) found = { entry, proof }
    if (proof) high = middle
    else low = middle + 1
  }
  return found
}
