import { clock, hourMicros, hourStart, parseTimestamp } from '../../core/clock.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { retentionMicros } from '../../logs/entries/log-keys.ts'
import { walkLogs } from '../../logs/walk-logs.ts'
import type { Key } from '../../table/keys.ts'
import { catchRefusal, putItem } from '../../table/put-item.ts'
import { getItem, getRow } from '../../table/read.ts'
import { sealedAttributes, storedText } from '../log/entry-text.ts'
import { SealConflict } from '../log/seal-damage.ts'
import { type HourStream, hourId, hourLeafText, hourStreams, hourText, type SealedHour } from '../log/sealed-log.ts'
import { leafHash } from '../merkle/merkle-proof.ts'
import { GrowingTree } from '../merkle/tiles.ts'
import { lacksLeaves, openTree, readNewest, sealTree } from './seal-tree.ts'
import type { Sealing } from './signed-objects.ts'
import { edgeTiles, hourKey, hourPartition, putTiles } from './table-tiles.ts'

/** Time in microseconds from the end of an hour until the hour is settled and can be sealed (S1.3). */
const settlingMicros = 900_000_000
const entriesPerCheck = 1_000

/** Start of the first hour that is not settled, in microseconds. */
export const settledUntil = (now: number): number => hourStart(now - settlingMicros)

type Hour = Omit<SealedHour, 'root'> & { root?: string; after?: string }

/** Returns the first hour of an account's activity log. `isFirst` is false if earlier entries may have expired. */
async function firstHour(account: string): Promise<{ hour: number; isFirst: boolean }> {
  const row: AccountRow | null = await getRow(accounts, account, account)
  const begin = parseTimestamp(row?.inserted_at ?? '') ?? 0
  const kept = clock.now() - retentionMicros('session') + hourMicros
  return { hour: hourStart(Math.max(begin, kept)), isFirst: begin >= kept }
}

/**
 * Seals an hour of one stream. Returns no item for an hour without entries. Returns null if the deadline is reached; the next run then
 * resumes the hour.
 */
async function sealHour(
  account: string,
  stream: HourStream,
  at: number,
  deadline: number,
): Promise<SealedHour[] | null> {
  const hour = hourText(at)
  const [pk, key] = [hourPartition(account, stream, hour), hourKey(account, stream, hour)]
  const stored = await getItem<Hour & Key>(key)
  if (stored?.root !== undefined) return [{ hour, stream, size: stored.size, root: stored.root }]
  const from = stored?.size ?? 0
  const tree = new GrowingTree(from, from > 0 ? await edgeTiles(pk, from) : [])
  const store = async (progress: Pick<Hour, 'root' | 'after'>) => {
    await putTiles(pk, from, [...tree.takeFull(), ...tree.partials()])
    await putHour(key, { hour, stream, size: tree.size, ...progress })
  }
  const walk = { account, streams: [stream], ascending: true, begin: at, end: at + hourMicros - 1, from: stored?.after }
  for await (const item of walkLogs({ ...walk, relaxed: true, attributes: sealedAttributes, expected: 1_000 })) {
    tree.add(leafHash(storedText(item)), item.sk)
    if (tree.size % entriesPerCheck !== 0 || clock.monotonic() < deadline) continue
    await store({ after: item.sk })
    return null
  }
  if (tree.size === 0) return []
  const root = tree.root().toString('base64')
  await store({ root })
  return [{ hour, stream, size: tree.size, root }]
}

/** Stores the progress of an hour. @throws SealConflict if a concurrent run has made more progress */
async function putHour(key: Key, state: Hour): Promise<void> {
  const condition = {
    ConditionExpression:
      '(attribute_not_exists(root) AND (attribute_not_exists(#size) OR #size <= :size)) OR root = :root',
    ExpressionAttributeNames: { '#size': 'size' },
    ExpressionAttributeValues: { ':size': state.size, ':root': state.root ?? '' },
  }
  await catchRefusal(putItem({ ...key, kind: 'seal_hour', ...state }, condition), () => {
    throw new SealConflict()
  })
}

async function sealHours(account: string, at: number, deadline: number): Promise<SealedHour[] | null> {
  const sealed: SealedHour[] = []
  for (const stream of hourStreams) {
    const hours = await sealHour(account, stream, at, deadline)
    if (!hours) return null
    sealed.push(...hours)
  }
  return sealed
}

/** Seals the settled hours of an account's sessions and API requests (S1.3). @throws SealDamage */
export async function sealActivity(sealing: Sealing, deadline: number): Promise<void> {
  const { account, lease } = sealing
  const until = settledUntil(clock.now())
  const { state } = lease
  const first = state ? null : await firstHour(account)
  const begin = lease.hour ?? first?.hour ?? until
  if (begin >= until && !sealing.alwaysCompare) return
  const newest = await readNewest(sealing)
  const target = newest.unfinished?.checkpoint.size ?? Number.POSITIVE_INFINITY
  const tree = await openTree(sealing)
  let [hour, from] = [begin, state?.from ?? null]
  for (; hour < until && tree.size < target && clock.monotonic() < deadline; hour += hourMicros) {
    const sealed = await sealHours(account, hour, deadline)
    if (!sealed) break
    for (const one of sealed) tree.add(leafHash(hourLeafText(one)), hourId(hour, one.stream))
    if (!state && (!first?.isFirst || lease.generation > 1)) from ??= sealed[0]?.hour ?? null
  }
  if (lacksLeaves(sealing, tree, newest, hour >= until)) return
  if (tree.size > tree.from) await sealTree(sealing, tree, { from, hour }, newest)
  else if (hour > begin) await lease.store({ ...state, hour })
}
