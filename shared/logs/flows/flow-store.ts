import { createHash } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import type { Key } from '../../table/keys.ts'
import { catchRefusal, putItem, removeItem } from '../../table/put-item.ts'
import { executeTogether, insertion, type Statement, type StatementOutcome } from '../../table/statements.ts'
import { table, tableName } from '../../table/table.ts'
import { logId } from '../entries/log-id.ts'
import { dayOf, flowKey, flowShard, logTtl } from '../entries/log-keys.ts'
import { longPointer, needsPointers, openPointer, openPointerKey, sliceOf } from './flow-index.ts'
import { markActor, markDay, markSlice } from './flow-marks.ts'
import type { Closing, FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

/** Flow report to store. `bothReported` is true if an open and a close report were merged. `ingestedAt` is in microseconds. */
export type IngestedReport = {
  id: string
  claims: IngestClaims
  ingestedAt: number
  report: FlowReport
  bothReported?: boolean
}

const openFields = ({ claims, ingestedAt, report }: IngestedReport) => ({
  kind: 'log',
  ttl: logTtl('flow', ingestedAt),
  at: ingestedAt,
  role: claims.role,
  prot: report.protocol,
  sip: report.inner_src_ip,
  sport: report.inner_src_port,
  dip: report.inner_dst_ip,
  dport: report.inner_dst_port,
  dom: report.domain,
  auth: claims.policy_authorization_id,
  actor: claims.initiator_actor_id,
})

const closedFields = (closing: Closing) => ({
  // Uses bigint, because the DynamoDB client rejects numbers beyond 2^53, such as times after the year 2255.
  fend: BigInt(closing.flow_end) as number | bigint,
  last: BigInt(closing.last_packet) as number | bigint,
  rxp: String(closing.rx_packets),
  txp: String(closing.tx_packets),
  rxb: String(closing.rx_bytes),
  txb: String(closing.tx_bytes),
  outers: JSON.stringify(closing.outers),
})

/**
 * Stored flow: the reported fields, the authorization (key of the attribution), and the initiating actor for filters. Short names keep an
 * item within one write unit. Times are in microseconds. Counters are strings, to keep 64-bit values exact.
 */
export type FlowItem = Key & ReturnType<typeof openFields> & Partial<ReturnType<typeof closedFields>>

const concurrency = 8

/** Ids of flows that this process stored as open. The ids are only a hint: a wrong id costs one extra write. */
const openedFlows = new Set<string>()

/** Report whose index marks and pointers are already stored. `statement` writes the report; null if an UpdateItem is needed. */
type PreparedReport<T> = { ingested: T; key: Key; needsPointer: boolean; statement: Statement | null }

/**
 * Stores up to 25 flows with one conditional write per report. Idempotent, and independent of the order of reports (L11). Marks and
 * pointers are stored before their flow, so that queries find every stored flow.
 * @param fail called for each report that was not stored
 */
export async function storeFlows<T extends IngestedReport>(
  reports: T[],
  fail: (report: T, error: unknown) => void,
): Promise<void> {
  const singleWrites: PreparedReport<T>[] = []
  const batchedWrites: (PreparedReport<T> & { statement: Statement })[] = []
  await inParallel(reports, concurrency, async (report) => {
    try {
      const { statement, ...prepared } = await prepareReport(report)
      if (statement) batchedWrites.push({ ...prepared, statement })
      else singleWrites.push({ ...prepared, statement })
    } catch (error) {
      fail(report, error)
    }
  })
  try {
    const outcomes = await executeTogether(batchedWrites.map(({ statement }) => statement))
    singleWrites.push(...batchedWrites.filter((prepared, i) => !isComplete(prepared, outcomes[i])))
  } catch (error) {
    for (const { ingested } of batchedWrites) fail(ingested, error)
  }
  await inParallel(singleWrites, concurrency, (prepared) =>
    storeSingly(prepared).catch((error) => fail(prepared.ingested, error)),
  )
}

async function prepareReport<T extends IngestedReport>(ingested: T): Promise<PreparedReport<T>> {
  const { id, claims, report } = ingested
  const { account_id: account, initiator_actor_id: actor } = claims
  const slice = sliceOf(report.flow_start)
  const needsPointer = needsPointers(slice, clock.now())
  await Promise.all([
    markDay(account, dayOf(report.flow_start), flowShard(actor)),
    markActor(account, actor, slice),
    storePointer(ingested, needsPointer),
  ])
  const key = flowKey(account, actor, id)
  return { ingested, key, needsPointer, statement: toStatement(ingested, key, needsPointer) }
}

/**
 * Builds a PartiQL statement for a new flow, or for closing a flow that this process opened. Returns null for any other close report, which
 * needs an UpdateItem because PartiQL has no upsert.
 */
function toStatement(ingested: IngestedReport, key: Key, needsPointer: boolean): Statement | null {
  const { closing } = ingested.report
  if (!closing) return insertion({ ...key, ...openFields(ingested) })
  if (needsPointer) return null
  if (openedFlows.has(ingested.id)) return closeStatement(key, closing)
  return ingested.bothReported ? insertion({ ...key, ...openFields(ingested), ...closedFields(closing) }) : null
}

function closeStatement({ pk, sk }: Key, closing: Closing): Statement {
  const fields = closedFields(closing)
  const set = Object.keys(fields).map((name) => `"${name}" = ?`)
  return {
    Statement: `UPDATE "${tableName()}" SET ${set.join(', ')} WHERE "pk" = ? AND "sk" = ? AND "fend" IS MISSING`,
    Parameters: [...Object.values(fields), pk, sk],
  }
}

/** True if the report needs no further write. An open report that finds an existing flow may still have to remove its own pointer. */
function isComplete(
  { ingested: { id, report }, needsPointer }: PreparedReport<IngestedReport>,
  outcome: StatementOutcome | undefined,
): boolean {
  if (report.closing) openedFlows.delete(id)
  else if (outcome === 'done') {
    if (openedFlows.size >= 100_000) openedFlows.clear()
    openedFlows.add(id)
  }
  return outcome === 'done' || (outcome === 'unmet' && !report.closing && !needsPointer)
}

async function storeSingly({ ingested, key, needsPointer }: PreparedReport<IngestedReport>): Promise<void> {
  const { id, claims, report } = ingested
  let isClosed = report.closing !== null
  // A failed condition means that the flow is already stored. The stored item shows whether the flow is closed.
  await catchRefusal<unknown, void>(
    report.closing ? putClosedFlow(ingested, key, report.closing) : putOpenFlow(ingested, key),
    ({ Item }) => {
      isClosed ||= Item !== undefined && 'fend' in Item
    },
  )
  if (isClosed && needsPointer) {
    await removeItem(openPointerKey(claims.account_id, id))
  }
}

async function storePointer({ id, claims, ingestedAt, report }: IngestedReport, needsPointer: boolean): Promise<void> {
  const { flow_start: start, closing } = report
  const pointerFields = { account: claims.account_id, id, actor: claims.initiator_actor_id, ingestedAt }
  if (!closing && !needsPointer) return markSlice(claims.account_id, sliceOf(start))
  const Item = closing ? longPointer(pointerFields, start, closing.flow_end) : openPointer(pointerFields)
  if (Item) await putItem(Item)
}

const putOpenFlow = (ingested: IngestedReport, key: Key) =>
  putItem(
    { ...key, ...openFields(ingested) },
    { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  )

/** Upserts a closed flow without changing the attributes stored by an earlier open report. */
function putClosedFlow(ingested: IngestedReport, key: Key, closing: Closing) {
  const closed = closedFields(closing)
  const fields = Object.entries({ ...openFields(ingested), ...closed })
  const set = fields.map(([name]) =>
    name in closed ? `#${name} = :${name}` : `#${name} = if_not_exists(#${name}, :${name})`,
  )
  return table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: key,
      UpdateExpression: `SET ${set.join(', ')}`,
      ConditionExpression: 'attribute_not_exists(fend)',
      ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
    }),
  )
}

type Claims = Pick<IngestClaims, 'account_id' | 'initiator_device_id' | 'role' | 'resource_id'>

/** Log id of a flow: the flow's start and the first 40 bits of the SHA-256 of the flow's identity (L11, A33.10). */
export function flowLogId(claims: Claims, flow: FlowReport): string {
  const identity = [
    claims.account_id,
    claims.initiator_device_id,
    claims.role,
    flow.flow_start,
    flow.protocol,
    flow.inner_src_ip,
    flow.inner_src_port,
    flow.inner_dst_ip,
    flow.inner_dst_port,
    claims.resource_id,
  ].join('|')
  return logId('flow', flow.flow_start, createHash('sha256').update(identity).digest('hex').slice(0, 10))
}

/**
 * Merges reports into one per flow, in order of first arrival, with the same effect as storing each report (L11). The first report
 * determines ingest time and domain. The first close report determines the closing fields.
 */
export function mergeReports<T extends IngestedReport>(reports: Iterable<T>): T[] {
  const flows = new Map<string, T>()
  for (const later of reports) {
    const name = `${later.claims.account_id} ${later.id}`
    const first = flows.get(name)
    const { closing } = later.report
    if (!first) flows.set(name, later)
    else if (closing && !first.report.closing) {
      flows.set(name, { ...first, bothReported: true, report: { ...first.report, closing } })
    }
  }
  return [...flows.values()]
}
