import { clock } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, PutCommand, QueryCommand } from '../../table/commands.ts'
import { queryItems } from '../../table/read.ts'
import { idFrom, idUntil } from '../log-id.ts'
import { dayOf, flowShards, logPartition } from '../log-keys.ts'
import { flowSlicesPartition, isSettled, openPointer, sliceMicros, sliceOf } from './flow-index.ts'

/** Slices gathered at a time, and how long new ones are begun. */
const maxSlices = 24
const timeBudgetMs = 10_000

/** The slice in which each account's were last gathered. */
const gathered = new Map<string, number>()

/**
 * Gives every flow that is still open some minutes after its slice a pointer: open flows that stay so are few, and most
 * are never written twice. Called as flows of the account come in, so that each slice is gathered soon after its time.
 */
export async function indexOpenFlows(account: string): Promise<void> {
  const now = clock.now()
  if (gathered.get(account) === sliceOf(now)) return
  const marks = await queryItems(flowSlicesPartition(account), { limit: maxSlices })
  const started = Date.now()
  for (const { sk } of marks) {
    const slice = Number(sk)
    if (!isSettled(slice, now)) break
    if (Date.now() - started > timeBudgetMs) return
    const shards = Array.from({ length: flowShards }, (_, shard) => shard)
    await inParallel(shards, 4, (shard) => pointToOpen(account, slice, shard))
    // Only now: after an interruption the slice is gathered again.
    await table().send(new DeleteCommand({ TableName: tableName(), Key: { pk: flowSlicesPartition(account), sk } }))
  }
  if (gathered.size > 100_000) gathered.clear()
  gathered.set(account, sliceOf(now))
}

async function pointToOpen(account: string, slice: number, shard: number): Promise<void> {
  let start: Record<string, unknown> | undefined
  do {
    const page = await table().send(
      new QueryCommand({
        TableName: tableName(),
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        FilterExpression: 'attribute_not_exists(fend)',
        ProjectionExpression: 'sk, actor, #at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: {
          ':pk': logPartition(account, 'flow', dayOf(slice), shard),
          ':first': idFrom('flow', slice),
          ':last': idUntil('flow', slice + sliceMicros - 1),
        },
        ExclusiveStartKey: start,
      }),
    )
    await inParallel(page.Items ?? [], 16, ({ sk: id, actor, at: ingestedAt }) =>
      table().send(new PutCommand({ TableName: tableName(), Item: openPointer({ account, id, actor, ingestedAt }) })),
    )
    start = page.LastEvaluatedKey
  } while (start)
}
