import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { inParallel } from '#shared/core/work/in-parallel.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { type LogStream, logId, logStreams } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { table, tableName } from '#shared/table/table.ts'
import { flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { readPages } from '#test/support/logs/log-pages.ts'

const minute = 60_000_000
const span = 3 * 24 * 60 * minute
const actors = Array.from({ length: 3 }, () => randomUUID())
const emails = ['ada@example.com', 'grace@example.com']
const objects = Array.from({ length: 3 }, () => randomUUID())

/** Indexes of an entry's actor and email. The last index of each represents null. */
const who = fc.record({ actor: fc.nat({ max: 3 }), email: fc.nat({ max: 2 }) })
const entry = fc.record({
  stream: fc.constantFrom<LogStream>(...logStreams),
  // Uses few distinct times, so that entries of several streams have equal timestamps.
  at: fc.nat({ max: 12 }).map((step) => (step * span) / 12),
  who,
  object: fc.nat({ max: 2 }),
})
const search = fc.record({
  begin: fc.nat({ max: 12 }),
  width: fc.nat({ max: 12 }),
  limit: fc.integer({ min: 1, max: 12 }),
  type: fc.constantFrom(null, null, ...logStreams),
  actor: fc.constantFrom(null, 0, 1),
  email: fc.constantFrom(null, 0, 1),
  object: fc.constantFrom(null, null, 0, 1),
  totalLimit: fc.constantFrom(null, 0, 3, 10_000),
})

type Planted = { stream: LogStream; at: number; who: { actor: number; email: number }; object: number }
type Named = { actor: string | null; email: string | null; object?: string }
type Entry = Named & { id: string; stream: LogStream; at: number }

const order = (id: string) => id.slice(1, 14) + id

async function plant(account: string, start: number, entries: Planted[]): Promise<Entry[]> {
  const grants = new Map<string, ReturnType<typeof newFlowGrant>>()
  const planted: Entry[] = []
  await inParallel(entries.entries(), 8, async ([i, { stream, at: offset, who, object }]) => {
    const at = start + offset
    const actor = actors[who.actor] ?? null
    const email = emails[who.email] ?? null
    if (stream === 'flow') {
      // Replaces a missing actor, because a flow always has an actor.
      const initiator = actor ?? (actors[0] as string)
      const name = `${initiator} ${email}`
      const fields = { initiator_actor_id: initiator, initiator_actor_email: email }
      if (!grants.has(name)) grants.set(name, newFlowGrant(account, fields))
      const { claims } = await (grants.get(name) as ReturnType<typeof newFlowGrant>)
      const { report } = checkFlowReport(openRecord({ inner_src_port: i, flow_start: timestamp(at) })) as {
        report: FlowReport
      }
      await storeFlowLogs({ Records: [flowRecord(claims(), at, report)] })
      planted.push({ id: flowLogId(claims(), report), stream, at, actor: initiator, email })
      return
    }
    const id = logId(stream, at, i.toString(16).padStart(10, '0'))
    const actorFields =
      stream === 'api_request' ? { actor_id: actor } : { subject: { actor_id: actor, actor_email: email } }
    const changed = stream === 'change' ? { after: { id: objects[object] } } : {}
    const items = logItems(account, stream, id, at, { ...actorFields, ...changed })
    for (const Item of items) await table().send(new PutCommand({ TableName: tableName(), Item }))
    planted.push({
      id,
      stream,
      at,
      actor,
      email: stream === 'api_request' ? null : email,
      object: stream === 'change' ? objects[object] : undefined,
    })
  })
  return planted
}

it('lists the matching entries of all streams in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 20, maxLength: 60 }),
      fc.array(search, { minLength: 8, maxLength: 8 }),
      async (entries, searches) => {
        const start = clock.now() - span - minute
        const account = { id: randomUUID(), inserted_at: timestamp(start - minute) } as AccountRow
        const planted = await plant(account.id, start, entries)
        for (const {
          begin: step,
          width,
          limit,
          type,
          actor,
          email: requestedEmail,
          object: wanted,
          totalLimit,
        } of searches) {
          const email = type === 'api_request' ? null : requestedEmail
          const object = type === null || type === 'change' ? wanted : null
          const begin = start + (step * span) / 12
          const end = begin + (width * span) / 12
          const expected = planted
            // Ignores `begin` for flows, because all flows of this test are open.
            .filter(({ stream, at }) => at <= end && (at >= begin || stream === 'flow'))
            .filter(({ stream }) => type === null || stream === type)
            .filter((one) => actor === null || one.actor === actors[actor])
            .filter((one) => email === null || one.email === emails[email])
            .filter((one) => object === null || one.object === objects[object])
            .map(({ id }) => id)
            .sort((a, b) => (order(a) < order(b) ? 1 : -1))
          const { forward, backward } = await readPages(account, {
            begin: timestamp(begin),
            end: timestamp(end),
            limit: String(limit),
            ...(type !== null && { type }),
            ...(actor !== null && { actor_id: actors[actor] }),
            ...(email !== null && { actor_email: emails[email] }),
            ...(object !== null && { object_id: objects[object] }),
            ...(totalLimit !== null && { total_limit: String(totalLimit) }),
          })
          expect(forward.flatMap(({ ids }) => ids)).toEqual(expected)
          expect(backward.map(({ ids }) => ids)).toEqual(forward.slice(0, -1).map(({ ids }) => ids))
          const total = Math.min(expected.length, totalLimit ?? limit)
          for (const page of [...forward, ...backward]) expect([page.total, page.count]).toEqual([total, total])
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
})
