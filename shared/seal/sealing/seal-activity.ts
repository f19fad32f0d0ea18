import { clock, parseTimestamp } from '../../core/clock.ts'
import { measure } from '../../core/logging/invocation.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { retentionMicros } from '../../logs/log-keys.ts'
import { walkLogs } from '../../logs/walk-logs.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { getItem, getRow } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { sealedAttributes, storedText } from '../log/entry-text.ts'
import { hourId, hourLeafText, hourMicros, hourStart, hourText, type SealedHour } from '../log/hour-leaf.ts'
import { Overtaken } from '../log/overtaken.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { type HourStream, hourStreams } from '../log/sealed-log.ts'
import { GrowingTree } from '../merkle/growing-tree.ts'
import { leafHash } from '../merkle/merkle-hash.ts'
import { openTree, readNewest, sealTree } from './seal-tree.ts'
import { pathOf, type Sealing } from './signed-objects.ts'
import { edgeTiles, hourKey, hourPartition, putTiles } from './table-tiles.ts'

/** An hour is settled so long after its end (S1.3). */
const settlingMicros = 900_000_000
/** Entries between two looks at the clock. */
const perLook = 1_000

/** The first hour that is not settled yet. */
export const settledUntil = (now: number): number => hourStart(now - settlingMicros)

type Hour = Omit<SealedHour, 'root'> & { root?: string; after?: string }

/** Where the log of an account begins: with its first hour that is still kept. */
async function firstHour(account: string): Promise<{ hour: number; isFirst: boolean }> {
  const row: AccountRow | null = await getRow(accounts, account, account)
  const begin = parseTimestamp(row?.inserted_at ?? '') ?? 0
  const kept = clock.now() - retentionMicros('session') + hourMicros
  return { hour: hourStart(Math.max(begin, kept)), isFirst: begin >= kept }
}

/**
 * The tree over the entries of an hour; null where it has none. An hour of more entries than a run has time for is gone on
 * with by the next: `undefined` then.
 */
async function sealHour(
  account: string,
  stream: HourStream,
  at: number,
  deadline: number,
): Promise<SealedHour | null | undefined> {
  const hour = hourText(at)
  const [pk, key] = [hourPartition(account, stream, hour), hourKey(account, stream, hour)]
  const known = await getItem<Hour & Key>(key)
  if (known?.root !== undefined) return { hour, stream, size: known.size, root: known.root }
  const from = known?.size ?? 0
  const tree = new GrowingTree(from, from > 0 ? await edgeTiles(pk, from) : [])
  let after = known?.after
  const flush = async () => {
    await putTiles(pk, tree.from, [...tree.takeFull(), ...tree.partials()])
    await putHour(key, { hour, stream, size: tree.size, after })
  }
  const walk = { account, streams: [stream], ascending: true, begin: at, end: at + hourMicros - 1, from: after }
  for await (const item of walkLogs({ ...walk, relaxed: true, passing: sealedAttributes, expected: 1_000 })) {
    tree.add(item.sk, leafHash(storedText(item)))
    after = item.sk
    if (tree.size % perLook !== 0 || Date.now() < deadline) continue
    await flush()
    return undefined
  }
  if (tree.size === 0) return null
  await putTiles(pk, tree.from, [...tree.takeFull(), ...tree.partials()])
  const sealed = { hour, stream, size: tree.size, root: tree.root().toString('base64') }
  await putHour(key, sealed)
  return sealed
}

/** Stores how far an hour has come. @throws Overtaken where another run is as far */
async function putHour(key: Key, state: Hour): Promise<void> {
  const condition = {
    ConditionExpression:
      '(attribute_not_exists(#root) AND (attribute_not_exists(#size) OR #size <= :size)) OR #root = :root',
    ExpressionAttributeNames: { '#root': 'root', '#size': 'size' },
    ExpressionAttributeValues: { ':size': state.size, ':root': state.root ?? '' },
  }
  await table()
    .send(new PutCommand({ TableName: tableName(), Item: { ...key, kind: 'seal_hour', ...state }, ...condition }))
    .catch((error) => {
      throw error instanceof ConditionalCheckFailedException ? new Overtaken() : error
    })
}

/** An hour of both streams, in the order of their leaves; null where there was no time for all of it. */
async function sealHours(account: string, at: number, deadline: number): Promise<SealedHour[] | null> {
  const sealed: SealedHour[] = []
  for (const stream of hourStreams) {
    const one = await sealHour(account, stream, at, deadline)
    if (one === undefined) return null
    if (one) sealed.push(one)
  }
  return sealed
}

/**
 * Seals the settled hours of an account's sessions and API requests (S1.3).
 * @throws SealDamage for a log that does not hold
 */
export async function sealActivity(sealing: Sealing, deadline: number): Promise<void> {
  const { account, lease } = sealing
  const until = settledUntil(clock.now())
  const { state } = lease
  const first = state ? null : await firstHour(account)
  const begin = lease.hour ?? first?.hour ?? until
  if (begin >= until && !sealing.isAsked) return
  const newest = await readNewest(sealing)
  const { unfinished } = newest
  const tree = await openTree(sealing)
  let [hour, from] = [begin, state?.from ?? null]
  const isReached = () => unfinished !== null && tree.size >= unfinished.checkpoint.size
  for (; hour < until && !isReached() && Date.now() < deadline; hour += hourMicros) {
    const sealed = await sealHours(account, hour, deadline)
    if (!sealed) break
    for (const one of sealed) tree.add(hourId(hour, one.stream), leafHash(hourLeafText(one)))
    if (!state && (!first?.isFirst || lease.generation > 1)) from ??= sealed[0]?.hour ?? null
  }
  if (unfinished && tree.size !== unfinished.checkpoint.size) {
    if (!isReached() && hour < until) return
    throw new SealDamage(isReached() ? 'diverged' : 'behind', pathOf(sealing, 'checkpoint'))
  }
  if (tree.size > tree.from) {
    await sealTree(sealing, tree, { from, hour }, newest)
    measure('entries_sealed', tree.size - tree.from)
  } else if (hour > begin) {
    await lease.store({ ...state, hour })
  }
}
