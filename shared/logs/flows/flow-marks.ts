import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock, dayMicros } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { changeItem } from '../../table/change-item.ts'
import type { Key } from '../../table/keys.ts'
import { putItem, removeItem } from '../../table/put-item.ts'
import { sortKeysOf, storedPages } from '../../table/read.ts'
import { table, tableName } from '../../table/table.ts'
import { idFrom, idUntil } from '../entries/log-id.ts'
import { dayOf, flowShards, logPartition, logTtl } from '../entries/log-keys.ts'
import { type Attribution, attributionItem } from './attribution.ts'
import {
  actorSlicesPartition,
  emailActorsPartition,
  flowDaysPartition,
  flowSlicesPartition,
  isSettled,
  openPointer,
  sliceMicros,
  sliceOf,
  sliceSort,
} from './flow-index.ts'

type FlowItem = { sk: string; actor: string; at: number; fend?: number }

type Mark = { at: number; done: Promise<unknown> }
const marks = new Map<string, Mark>()

/** Stores an index mark, such as for a day or slice with flows, at most once per day and process. Resolves when the mark is stored. */
async function markOnce(name: string, mark: (ttl: number) => Promise<unknown>): Promise<void> {
  const at = clock.now()
  const previous = marks.get(name)
  if (previous && at - previous.at < dayMicros) {
    await previous.done
    return
  }
  if (marks.size > 100_000) marks.clear()
  // Adds three days to the TTL, so that the mark outlives every flow that is found through it.
  const done = mark(logTtl('flow', at + 3 * dayMicros))
  marks.set(name, { at, done })
  await done.catch((error) => {
    marks.delete(name)
    throw error
  })
}

const putMark = (key: Key) => markOnce(`${key.pk} ${key.sk}`, (ttl) => putItem({ ...key, kind: 'flow_mark', ttl }))

export const markDay = (account: string, day: string, shard: number): Promise<void> =>
  markOnce(`${account} ${day} ${shard}`, (ttl) =>
    table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk: flowDaysPartition(account), sk: day },
        UpdateExpression: 'SET kind = :kind, #ttl = :ttl ADD shards :shard',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':kind': 'flow_mark', ':ttl': ttl, ':shard': new Set([shard]) },
      }),
    ),
  )

export const markActor = (account: string, actor: string, slice: number): Promise<void> =>
  putMark({ pk: actorSlicesPartition(account, actor), sk: sliceSort(slice) })

const emailMarkExpiries = new Map<string, number>()

/** Indexes an actor by the email in an authorization's snapshot, until the authorization's last flow expires (L12). */
export async function markEmail(account: string, attribution: Attribution): Promise<void> {
  const { initiator_actor_email: email, initiator_actor_id: actor } = attribution
  if (email === null) return
  const Key = { pk: emailActorsPartition(account, email), sk: actor }
  const name = `${Key.pk} ${actor}`
  const until = attributionItem(account, attribution).ttl
  if ((emailMarkExpiries.get(name) ?? 0) >= until) return
  // Adds a day to the expiry, so that not every new authorization has to write the mark again.
  const ttl = until + dayMicros / 1_000_000
  // The condition keeps a stored mark that expires later.
  await changeItem(Key, { set: { kind: 'flow_mark', ttl }, when: 'attribute_not_exists(pk) OR #ttl < :ttl' })
  if (emailMarkExpiries.size > 100_000) emailMarkExpiries.clear()
  emailMarkExpiries.set(name, ttl)
}

export const markSlice = (account: string, slice: number): Promise<void> =>
  putMark({ pk: flowSlicesPartition(account), sk: sliceSort(slice) })

const maxSlices = 24
const timeBudgetMs = 10_000

/** Maps an account id to the slice in which the account was last completely indexed. An account is indexed at most once per slice. */
const indexedSlices = new Map<string, number>()

/**
 * Writes pointers to the few flows that are still open several minutes after the end of their slice. Runs whenever flows of the account are
 * stored, so that each slice is indexed soon after it is settled.
 */
export async function indexOpenFlows(account: string): Promise<void> {
  const now = clock.now()
  if (indexedSlices.get(account) === sliceOf(now)) return
  const slices = await sortKeysOf(flowSlicesPartition(account), { limit: maxSlices })
  const started = clock.monotonic()
  for (const sk of slices) {
    const slice = Number(sk)
    if (!isSettled(slice, now)) break
    if (clock.monotonic() - started > timeBudgetMs) return
    const shards = Array.from({ length: flowShards }, (_, shard) => shard)
    await inParallel(shards, 4, (shard) => indexShard(account, slice, shard))
    // Removes the slice's mark last, so that the next run repeats an interrupted slice.
    await removeItem({ pk: flowSlicesPartition(account), sk })
  }
  if (indexedSlices.size > 100_000) indexedSlices.clear()
  indexedSlices.set(account, sliceOf(now))
}

async function indexShard(account: string, slice: number, shard: number): Promise<void> {
  const pk = logPartition(account, 'flow', dayOf(slice), shard)
  const between = [idFrom('flow', slice), idUntil('flow', slice + sliceMicros - 1)] as const
  for await (const flows of storedPages<FlowItem>(pk, { between, relaxed: true }, ['sk', 'actor', 'at', 'fend'])) {
    const open = flows.filter(({ fend }) => fend === undefined)
    await inParallel(open, 16, ({ sk: id, actor, at: ingestedAt }) =>
      putItem(openPointer({ account, id, actor, ingestedAt })),
    )
  }
}
