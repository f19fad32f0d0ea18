import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import type { Context, KinesisStreamRecord } from 'aws-lambda'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/streams/store-flow-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { deliverAll } from '#test/support/logs/deliver-all.ts'
import { closeRecord, flowRecord, kinesisRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { crashAfter, failTable, inserts } from '#test/support/table/table-faults.ts'

type Account = Awaited<ReturnType<typeof newAccount>>
let account: Account
let grant: Awaited<ReturnType<typeof newFlowGrant>>
let starts = 0

beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
  grant = await newFlowGrant(account.id)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const report = (record: unknown) => (checkFlowReport(record) as { report: FlowReport }).report
const record = (at: number, ...reports: FlowReport[]) => flowRecord(grant.claims(), at, ...reports)
const sequenceOf = ({ kinesis }: KinesisStreamRecord) => kinesis.sequenceNumber
const failures = async (records: KinesisStreamRecord[]) =>
  (await handler({ Records: records })).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)

function newFlow() {
  const fields = { flow_start: `2026-11-20T10:00:00.${String(++starts).padStart(6, '0')}Z` }
  const open = report(openRecord(fields))
  return {
    open,
    close: (rx_bytes = 3) => report(closeRecord({ ...fields, rx_bytes })),
    id: flowLogId(grant.claims(), open),
    read: async () => (await account.call(getLog, { params: { log_id: flowLogId(grant.claims(), open) } })).body?.data,
  }
}

function batch() {
  const flows = [newFlow(), newFlow(), newFlow()] as const
  const [a, b, c] = flows
  const at = clock.now()
  const records = [
    record(at, a.open, b.open),
    record(at + 1, a.close(), c.open),
    record(at + 2, b.close()),
    record(at + 3, c.close(), a.open),
  ]
  const expectStored = async () => {
    for (const flow of flows) expect(await flow.read()).toMatchObject({ rx_bytes: 3, outers: [{}] })
    const { body } = await account.call(listLogs, {
      query: { type: 'flow', begin: '2026-11-20T10:00:00Z', limit: '100' },
    })
    const ids = body.data.map((entry: { log_id: string }) => entry.log_id)
    for (const { id } of flows) expect(ids.filter((other: string) => other === id)).toHaveLength(1)
  }
  return { records, flows, expectStored }
}

describe('a consumer that dies', () => {
  it.each([false, true])(
    'between any two writes loses and duplicates no flow (last response lost: %s)',
    async (isResponseLost) => {
      for (let writes = 0, died = true; died; writes++) {
        const { records, expectStored } = batch()
        crashAfter(writes, { isResponseLost })
        died = (await failures(records)).length > 0
        vi.restoreAllMocks()
        expect(await failures(records)).toEqual([])
        await expectStored()
      }
    },
  )

  it('between any two records stores the same after the redelivery as without a fault', async () => {
    for (let alive = 0; alive <= 4; alive++) {
      const { records, expectStored } = batch()
      for (const one of records.slice(0, alive)) expect(await failures([one])).toEqual([])
      expect(await failures(records)).toEqual([])
      await expectStored()
    }
  })
})

it('resumes in the next run after its deadline, with all previous records stored', async () => {
  const domain = () => randomBytes(127).toString('hex')
  const at = clock.now()
  const flows = Array.from({ length: 8 }, () => Array.from({ length: 600 }, newFlow))
  const records = flows.map((some, i) => record(at + i, ...some.map(({ open }) => ({ ...open, domain: domain() }))))
  let left = 2
  // Leaves the function time for the mark of the slot and one request of ten blocks.
  const context = { getRemainingTimeInMillis: () => (--left >= 0 ? 60_000 : 1_000) } as Context
  const { batchItemFailures } = await handler({ Records: records }, context)
  const stored = records.map(sequenceOf).indexOf(batchItemFailures[0]?.itemIdentifier ?? '')
  expect([batchItemFailures.length, stored > 0, stored < 7]).toEqual([1, true, true])
  const ends = (some: (typeof flows)[number] = []) => Promise.all([some[0]?.read(), some.at(-1)?.read()])
  for (const some of flows.slice(0, stored)) expect(await ends(some)).toEqual([expect.anything(), expect.anything()])
  expect(await ends(flows[stored])).toContain(undefined)
  expect(await ends(flows[7])).toEqual([undefined, undefined])
  expect(await failures(records.slice(stored))).toEqual([])
  for (const some of flows) expect(await ends(some)).toEqual([expect.anything(), expect.anything()])
})

it('stores nothing without time, and reports the first record', async () => {
  const { records, flows } = batch()
  const context = { getRemainingTimeInMillis: () => 1_000 } as Context
  const { batchItemFailures } = await handler({ Records: records }, context)
  expect(batchItemFailures).toEqual([{ itemIdentifier: sequenceOf(records[0] as KinesisStreamRecord) }])
  for (const flow of flows) expect(await flow.read()).toBeUndefined()
})

describe('a write that the table refuses', () => {
  const partitionOf = { blocks: '#log.flow.block', 'the mark of a slot': '#archive' } as const

  it.each([
    ['ProvisionedThroughputExceededException', 'blocks'],
    ['ThrottlingException', 'blocks'],
    ['RequestLimitExceeded', 'the mark of a slot'],
    ['TransactionConflictException', 'blocks'],
    ['InternalServerError', 'blocks'],
    ['TimeoutError', 'the mark of a slot'],
  ] as const)('with %s for %s fails only its account, and succeeds at the next delivery', async (name, items) => {
    const { records, expectStored } = batch()
    const other = await newAccount()
    const claims = (await newFlowGrant(other.id)).claims()
    const foreign = newFlow().open
    const read = async () => (await other.call(getLog, { params: { log_id: flowLogId(claims, foreign) } })).status
    const mixed = [...records.slice(0, 2), flowRecord(claims, clock.now(), foreign), ...records.slice(2)]
    failTable(name, inserts(`${other.id}${partitionOf[items]}`))
    expect(await failures(mixed)).toEqual([sequenceOf(mixed[2] as KinesisStreamRecord)])
    vi.restoreAllMocks()
    await expectStored()
    expect(await read()).toBe(404)
    expect(await failures(mixed.slice(2))).toEqual([])
    expect(await read()).toBe(200)
    await expectStored()
  })
})

const packed = (value: unknown) => zstdCompressSync(JSON.stringify(value) ?? '')

/** Bytes that the API never writes: random bytes, damaged packs, other versions, and packs with arbitrary rows. */
const poison = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(packed({ version: 1 }).subarray(0, -3)),
  fc.json().map((text) => zstdCompressSync(text)),
  fc.record({ version: fc.constantFrom(2, 3, '1'), rows: fc.constant([]) }).map(packed),
  fc
    .array(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 8 })), { minLength: 1, maxLength: 3 })
    .map((rows) => packed({ version: 1, claims: null, ingested_at: 0, rows })),
)

describe('poison records', () => {
  it('are given up individually anywhere in a batch, and everything else is stored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(4), poison), { minLength: 1, maxLength: 3 }), async (injected) => {
        const { records: valid, expectStored } = batch()
        const records: KinesisStreamRecord[] = [...valid]
        const bad = injected.map(([position, bytes]) => {
          const one = kinesisRecord(bytes)
          records.splice(position, 0, one)
          return sequenceOf(one)
        })
        expect((await deliverAll(records, sequenceOf, handler)).sort()).toEqual(bad.sort())
        await expectStored()
      }),
      { numRuns: 25 },
    )
  })

  it('do not block other records if writes fail occasionally', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 3, maxLength: 12 }), async (refusals) => {
        const { records: valid, expectStored } = batch()
        const bad = kinesisRecord(Buffer.from('poison'))
        const left = refusals.filter((_, i) => i % 3 !== 2)
        // Makes at most two consecutive requests fail, so that no valid record exhausts its retries.
        failTable(
          'ThrottlingException',
          (command) => command.constructor.name !== 'GetCommand' && (left.shift() ?? false),
        )
        const kept = await deliverAll([...valid.slice(0, 2), bad, ...valid.slice(2)], sequenceOf, handler)
        vi.restoreAllMocks()
        // Expects the bad record among those stored for the redrive. Then delivers the valid ones again.
        expect(kept).toContain(sequenceOf(bad))
        expect(await failures(valid.filter((one) => kept.includes(sequenceOf(one))))).toEqual([])
        await expectStored()
      }),
      { numRuns: 15 },
    )
  })
})

it('stores the same for any late redelivery', async () => {
  const again = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(again, again, async (between, late) => {
      const flow = newFlow()
      const at = clock.now()
      const records = [
        record(at, flow.open),
        record(at + 1_000_000, flow.close(1)),
        record(at + 2_000_000, flow.close(2), flow.open),
        record(at + 3_000_000, flow.open),
      ]
      // Delivers the records in order, and repeats some earlier records in between and at the end.
      const part = ([from, count]: [number, number], end: number) =>
        records.slice(Math.min(from, end), end).slice(0, count)
      for (let end = 1; end <= records.length; end++) {
        expect(await failures(records.slice(end - 1, end))).toEqual([])
        const repeated = between[end - 1]
        if (repeated) expect(await failures(part(repeated, end))).toEqual([])
      }
      for (const repeated of late) expect(await failures(part(repeated, records.length).reverse())).toEqual([])
      const entry = await flow.read()
      expect([entry.rx_bytes, Date.parse(entry.timestamp)]).toEqual([1, Math.floor(at / 1_000)])
    }),
    { numRuns: 15 },
  )
})
