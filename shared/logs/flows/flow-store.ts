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

/** A report on its way to the log; `bothReported` where it was made of an open and a close report. */
export type IngestedReport = {
  id: string
  claims: IngestClaims
  ingestedAt: number
  report: FlowReport
  bothReported?: boolean
}

/** Fields of every flow. */
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

/** Fields of a closed flow; the outer paths as JSON. */
const closedFields = (closing: Closing) => ({
  // As bigint, because a time beyond 2255 is a number that the table's client refuses.
  fend: BigInt(closing.flow_end) as number | bigint,
  last: BigInt(closing.last_packet) as number | bigint,
  rxp: String(closing.rx_packets),
  txp: String(closing.tx_packets),
  rxb: String(closing.rx_bytes),
  txb: String(closing.tx_bytes),
  outers: JSON.stringify(closing.outers),
})

/**
 * A stored flow, under short names so that it stays one write unit: what was reported, the authorization that has its
 * attribution, and the initiating actor for filters. Times are microseconds; counters are text, exact to 64 bits.
 */
export type FlowItem = Key & ReturnType<typeof openFields> & Partial<ReturnType<typeof closedFields>>

/** Single writes under way at once. */
const concurrency = 8

/** Flows that this process has stored as open. Only a hint: a wrong one costs another write. */
const opened = new Set<string>()

/** A report whose marks and pointers are stored, and its write where that is a statement. */
type Led<T> = { ingested: T; key: Key; past: boolean; statement: Statement | null }

/**
 * Stores up to 25 flows by a conditional write per report, in any order and however often a report comes (L11). Marks
 * and pointers of a flow are written before it, so that every stored flow is found, unless they are known to exist.
 * Calls `fail` for each report that was not stored.
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
 * The write as a statement, where one is usually enough: for a new flow, and for the close of one that this process has
 * opened. Statements cannot update or else insert, so any other close is a write by itself.
 */
function statementOf(ingested: IngestedReport, key: Key, past: boolean): Statement | null {
  const { closing } = ingested.report
  if (!closing) return insertion({ ...key, ...openFields(ingested) })
  if (past) return null
  if (opened.has(ingested.id)) return completion(key, closing)
  return ingested.bothReported ? insertion({ ...key, ...openFields(ingested), ...closedFields(closing) }) : null
}

/** Closes a flow that exists and is open. */
function completion({ pk, sk }: Key, closing: Closing): Statement {
  const fields = closedFields(closing)
  const set = Object.keys(fields).map((name) => `"${name}" = ?`)
  return {
    Statement: `UPDATE "${tableName()}" SET ${set.join(', ')} WHERE "pk" = ? AND "sk" = ? AND "fend" IS MISSING`,
    Parameters: [...Object.values(fields), pk, sk],
  }
}

/** True when nothing is left to do. An open report adds nothing to an existing flow, but may leave a pointer behind. */
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
  // An existing flow stays as it is, open or closed.
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

/** Writes the pointer of a flow or the mark of its slice, for queries whose window begins after the flow. */
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

/** Sets the fields of a closed flow, and the others only where no open report came before. */
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

/** The log id of a flow: its start, and 40 bits of the SHA-256 of its identity (L11, A33.10). */
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
 * Merges reports to a single one per flow, ordered by first arrival, with the same effect as all one by one (L11).
 * The first report stays, the first close closes it; ingest time and domain are those of the first.
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
