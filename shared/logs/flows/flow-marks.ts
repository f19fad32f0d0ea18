import { clock, dayMicros } from '../../core/clock.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand, UpdateCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { logTtl } from '../log-keys.ts'
import { type Attribution, attributionItem } from './attribution.ts'
import {
  actorSlicesPartition,
  emailActorsPartition,
  flowDaysPartition,
  flowSlicesPartition,
  sliceSort,
} from './flow-index.ts'

type Mark = { at: number; done: Promise<unknown> }
const made = new Map<string, Mark>()

/** Makes a mark once a day and process; returns when it stands. */
async function once(name: string, mark: (ttl: number) => Promise<unknown>): Promise<void> {
  const at = clock.now()
  const known = made.get(name)
  if (known && at - known.at < dayMicros) {
    await known.done
    return
  }
  if (made.size > 100_000) made.clear()
  // A mark outlives the last flow that it was made for.
  const done = mark(logTtl('flow', at + 3 * dayMicros))
  made.set(name, { at, done })
  await done.catch((error) => {
    made.delete(name)
    throw error
  })
}

const put = (key: Key) =>
  once(`${key.pk} ${key.sk}`, (ttl) =>
    table().send(new PutCommand({ TableName: tableName(), Item: { ...key, kind: 'flow_mark', ttl } })),
  )

/** Notes that a day and shard hold flows. */
export const markDay = (account: string, day: string, shard: number): Promise<void> =>
  once(`${account} ${day} ${shard}`, (ttl) =>
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

/** Notes that a slice holds flows of an actor. */
export const markActor = (account: string, actor: string, slice: number): Promise<void> =>
  put({ pk: actorSlicesPartition(account, actor), sk: sliceSort(slice) })

const emailsNoted = new Map<string, number>()

/** Notes whose email is in the snapshot of an authorization, for as long as flows can show it (L12). */
export async function markEmail(account: string, attribution: Attribution): Promise<void> {
  const { initiator_actor_email: email, initiator_actor_id: actor } = attribution
  if (email === null) return
  const Key = { pk: emailActorsPartition(account, email), sk: actor }
  const name = `${Key.pk} ${actor}`
  const until = attributionItem(account, attribution).ttl
  if ((emailsNoted.get(name) ?? 0) >= until) return
  // A day more, so that it need not be written again for each authorization.
  const ttl = until + dayMicros / 1_000_000
  await table()
    .send(
      new UpdateCommand({
        TableName: tableName(),
        Key,
        UpdateExpression: 'SET kind = :kind, #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl < :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':kind': 'flow_mark', ':ttl': ttl },
      }),
    )
    .catch((error) => {
      // It stands for longer already.
      if (!(error instanceof ConditionalCheckFailedException)) throw error
    })
  if (emailsNoted.size > 100_000) emailsNoted.clear()
  emailsNoted.set(name, ttl)
}

/** Notes that a slice holds open flows without pointers. */
export const markSlice = (account: string, slice: number): Promise<void> =>
  put({ pk: flowSlicesPartition(account), sk: sliceSort(slice) })
