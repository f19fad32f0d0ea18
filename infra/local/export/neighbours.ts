import { parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { instantOf, lastLogMicros } from '#shared/logs/log-id.ts'
import { Fault } from '../fault.ts'
import { type Covered, proofOf } from './last-covered.ts'
import type { Entry, ExportType } from './log-answers.ts'
import type { LogClient } from './log-client.ts'

export const micros = (text: string): number => {
  const found = parseTimestamp(text)
  if (found === null) throw new Fault(`${text} is no RFC 3339 timestamp.`)
  return found
}

export const rangeOf = (type: ExportType, begin: number, end: number) => ({
  type,
  begin: timestamp(begin),
  end: timestamp(end),
})

const newest = async (client: LogClient, type: ExportType, begin: number, end: number): Promise<Entry | null> => {
  if (begin > end) return null
  const { value } = await client.pages(rangeOf(type, begin, end), '1').next()
  return value?.[0] ?? null
}

/** The oldest entry from an instant on, by halving the time that it can be in. */
async function oldest(client: LogClient, type: ExportType, from: number): Promise<Entry | null> {
  const some = await newest(client, type, from, lastLogMicros)
  if (!some) return null
  let [low, high] = [from, instantOf(some.log_id)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await newest(client, type, low, middle)
    if (found) high = instantOf(found.log_id)
    else low = middle + 1
  }
  // Entries of one commit share their instant.
  let first = some
  for await (const entries of client.pages(rangeOf(type, high, high))) first = entries.at(-1) ?? first
  return first
}

/** The entries next to a range on both sides, as far as there are any and the checkpoint of this size covers them. */
export async function neighbours(
  client: LogClient,
  { type, begin, end }: { type: ExportType; begin: string; end: string },
  size: number,
): Promise<{ before: Covered | null; after: Covered | null }> {
  const covered = async (entry: Entry | null): Promise<Covered | null> => {
    const proof = entry && (await proofOf(client, entry.log_id, size))
    return entry && proof ? { entry, proof } : null
  }
  return {
    before: await covered(await newest(client, type, 0, micros(begin) - 1)),
    after: await covered(await oldest(client, type, micros(end) + 1)),
  }
}
