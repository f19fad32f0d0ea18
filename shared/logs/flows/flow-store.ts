import { createHash } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import type { Key } from '../../table/keys.ts'
import { putItem, removeItem, unlessRefused } from '../../table/put-item.ts'
import { executeTogether, insertion, type Statement, type StatementOutcome } from '../../table/statements.ts'
import { table, tableName } from '../../table/table.ts'
import { logId } from '../entries/log-id.ts'
import { dayOf, flowKey, flowShard, logTtl } from '../entries/log-keys.ts'
import { isPast, longPointer, openPointer, openPointerKey, sliceOf } from './flow-index.ts'
import { markActor, markDay, markSlice } from './flow-marks.ts'
import type { Closing, FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

/** A report to store; `bothReported` if it merges an open and a close report. `ingestedAt` is in microseconds. */
export type IngestedReport = {
  id: string
  claims: IngestClaims
  ingestedAt: number
  report: FlowReport
  bothReported?: boolean
}

/** Attributes of every stored flow. */
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

/** Additional attributes of a closed flow. */
const closedFields = (closing: Closing) => ({
  // As bigint, because the DynamoDB client rejects numbers beyond 2^53, which are times after the year 2255.
  fend: BigInt(closing.flow_end) as number | bigint,
  last: BigInt(closing.last_packet) as number | bigint,
  rxp: String(closing.rx_packets),
  txp: String(closing.tx_packets),
  rxb: String(closing.rx_bytes),
  txb: String(closing.tx_bytes),
  outers: JSON.stringify(closing.outers),
})

/**
 * A stored flow: the reported fields, the authorization (key of its attribution), and the initiating actor for filters.
 * Short names keep an item within one write unit. Times are microseconds; counters are text, exact to 64 bits.
 */
export type FlowItem = Key & ReturnType<typeof openFields> & Partial<ReturnType<typeof closedFields>>

/** Concurrent single writes. */
const concurrency = 8

/** Ids of flows that this process stored as open. A hint only: a wrong entry costs one more write. */
const opened = new Set<string>()

/** A report whose marks and pointers are stored. `statement` is its write, or null if it needs an UpdateItem. */
type Led<T> = { ingested: T; key: Key; past: boolean; statement: Statement | null }

/**
 * Stores up to 25 flows with one conditional write per report. Idempotent, and independent of the order (L11). Writes
 * the marks and pointers of a flow before the flow, so that queries find every stored flow.
 * @param fail called for each report that was not stored
 */
export async function storeFlows<T extends IngestedReport>(
  reports: T[],
  fail: (report: T, error: unknown) => void,
): Promise<void> {
  const alone: Led<T>[] = []
  const together: (Led<T> & { statement: Statement })[] = []
  await inParallel(reports, concurrency, async (report) => {
    try {
      const { statement, ...led } = await leadTo(report)
      if (statement) together.push({ ...led, statement })
      else alone.push({ ...led, statement })
    } catch (error) {
      fail(report, error)
    }
  })
  try {
    const outcomes = await executeTogether(together.map(({ statement }) => statement))
    alone.push(...together.filter((led, i) => !isSettled(led, outcomes[i])))
  } catch (error) {
    for (const { ingested } of together) fail(ingested, error)
  }
  await inParallel(alone, concurrency, (led) => storeAlone(led).catch((error) => fail(led.ingested, error)))
}

/** Stores the marks and pointers of a flow, and builds its write. */
async function leadTo<T extends IngestedReport>(ingested: T): Promise<Led<T>> {
  const { id, claims, report } = ingested
  const { account_id: account, initiator_actor_id: actor } = claims
  const slice = sliceOf(report.flow_start)
  const past = isPast(slice, clock.now())
  await Promise.all([
    markDay(account, dayOf(report.flow_start), flowShard(actor)),
    markActor(account, actor, slice),
    lead(ingested, past),
  ])
  const key = flowKey(account, actor, id)
  return { ingested, key, past, statement: statementOf(ingested, key, past) }
}

/**
 * Builds a PartiQL statement for a new flow, or for the close of a flow that this process opened. Null for any other
 * close: PartiQL has no upsert, so it needs an UpdateItem.
 */
function statementOf(ingested: IngestedReport, key: Key, past: boolean): Statement | null {
  const { closing } = ingested.report
  if (!closing) return insertion({ ...key, ...openFields(ingested) })
  if (past) return null
  if (opened.has(ingested.id)) return completion(key, closing)
  return ingested.bothReported ? insertion({ ...key, ...openFields(ingested), ...closedFields(closing) }) : null
}

/** Statement that closes an existing open flow. */
function completion({ pk, sk }: Key, closing: Closing): Statement {
  const fields = closedFields(closing)
  const set = Object.keys(fields).map((name) => `"${name}" = ?`)
  return {
    Statement: `UPDATE "${tableName()}" SET ${set.join(', ')} WHERE "pk" = ? AND "sk" = ? AND "fend" IS MISSING`,
    Parameters: [...Object.values(fields), pk, sk],
  }
}

/** True if a statement completed the report. An open report changes no existing flow, but may leave a pointer. */
function isSettled(
  { ingested: { id, report }, past }: Led<IngestedReport>,
  outcome: StatementOutcome | undefined,
): boolean {
  if (report.closing) opened.delete(id)
  else if (outcome === 'done') {
    if (opened.size >= 100_000) opened.clear()
    opened.add(id)
  }
  return outcome === 'done' || (outcome === 'unmet' && !report.closing && !past)
}

async function storeAlone({ ingested, key, past }: Led<IngestedReport>): Promise<void> {
  const { id, claims, report } = ingested
  let isClosed = report.closing !== null
  // A refused condition means that the flow exists and stays unchanged.
  await unlessRefused<unknown, void>(
    report.closing ? close(ingested, key, report.closing) : open(ingested, key),
    ({ Item }) => {
      isClosed ||= Item !== undefined && 'fend' in Item
    },
  )
  if (isClosed && past) {
    await removeItem(openPointerKey(claims.account_id, id))
  }
}

/** Stores the pointer of a flow or the mark of its slice, for queries whose window starts after the flow began. */
async function lead({ id, claims, ingestedAt, report }: IngestedReport, past: boolean): Promise<void> {
  const { flow_start: start, closing } = report
  const pointed = { account: claims.account_id, id, actor: claims.initiator_actor_id, ingestedAt }
  if (!closing && !past) return markSlice(claims.account_id, sliceOf(start))
  const Item = closing ? longPointer(pointed, start, closing.flow_end) : openPointer(pointed)
  if (Item) await putItem(Item)
}

const open = (ingested: IngestedReport, key: Key) =>
  putItem(
    { ...key, ...openFields(ingested) },
    { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  )

/** Upserts a closed flow. Attributes of an earlier open report stay unchanged. */
function close(ingested: IngestedReport, key: Key, closing: Closing) {
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

/** Log id of a flow: its start and 40 bits of the SHA-256 of its identity (L11, A33.10). */
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
 * Merges reports into one per flow, in order of first arrival, with the same effect as storing each (L11). The first
 * report determines ingest time and domain, the first close report the closing fields.
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
