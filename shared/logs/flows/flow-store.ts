import { clock } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, PutCommand, UpdateCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { executeTogether, insertion, type Outcome, type Statement } from '../../table/statements.ts'
import { dayOf, flowKey, flowShard, logTtl } from '../log-keys.ts'
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

/**
 * A stored flow, under short names so that it stays one write unit: what was reported, the authorization that its
 * attribution hangs on, and the initiating actor for filters. Times are microseconds; counters are text, exact to 64 bits.
 */
export type FlowItem = Key & {
  ttl: number
  at: number
  role: 'initiator' | 'responder'
  prot: 'tcp' | 'udp'
  sip: string
  sport: number
  dip: string
  dport: number
  dom: string | null
  auth: string
  actor: string
  fend?: number | bigint
  last?: number | bigint
  rxp?: string
  txp?: string
  rxb?: string
  txb?: string
  /** JSON text of the outer paths. */
  outers?: string
}

/** The attributes that an open report gives. */
type Base = Omit<FlowItem, keyof Key | 'fend' | 'last' | 'rxp' | 'txp' | 'rxb' | 'txb' | 'outers'> & { kind: 'log' }

/** Single writes under way at once. */
const concurrency = 8

/** Flows that this process has stored as open. Only a hint: what it tells wrongly costs a write more. */
const opened = new Set<string>()

function noteOpened(id: string): void {
  if (opened.size >= 100_000) opened.clear()
  opened.add(id)
}

/** A report whose marks and pointers stand. */
type Led = { ingested: IngestedReport; key: Key; base: Base; past: boolean }

/**
 * One conditional write per report, whatever came before it and however often it comes (L11), for up to 25 flows. What
 * leads to a flow is written before it, so that no flow is where nobody looks, and only where the flow is long or its
 * marks are not known to stand. Tells each report that was not stored.
 */
export async function storeFlows<T extends IngestedReport>(
  reports: T[],
  fail: (report: T, error: unknown) => void,
): Promise<void> {
  const alone: { report: T; led: Led }[] = []
  const together: { report: T; led: Led; statement: Statement }[] = []
  await inParallel(reports, concurrency, async (report) => {
    try {
      const led = await leadTo(report)
      const statement = statementOf(led)
      if (statement) together.push({ report, led, statement })
      else alone.push({ report, led })
    } catch (error) {
      fail(report, error)
    }
  })
  try {
    const outcomes = await executeTogether(together.map(({ statement }) => statement))
    alone.push(...together.filter(({ led }, i) => !isSettled(led, outcomes[i])))
  } catch (error) {
    for (const { report } of together) fail(report, error)
  }
  await inParallel(alone, concurrency, ({ report, led }) => storeAlone(led).catch((error) => fail(report, error)))
}

/** Writes what leads to the flow. */
async function leadTo(ingested: IngestedReport): Promise<Led> {
  const { id, claims, ingestedAt, report } = ingested
  const { account_id: account, initiator_actor_id: actor } = claims
  const slice = sliceOf(report.flow_start)
  const past = isPast(slice, clock.now())
  await Promise.all([
    markDay(account, dayOf(report.flow_start), flowShard(actor)),
    markActor(account, actor, slice),
    lead(ingested, past),
  ])
  const base: Base = {
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
  }
  return { ingested, key: flowKey(account, actor, id), base, past }
}

/**
 * The write as a statement, where one is all that it takes as a rule: for a flow that is new, and for the close of one
 * that was opened here. Statements cannot set what is there and else insert, so any other close is a write by itself.
 */
function statementOf({ ingested: { id, report, bothReported }, key, base, past }: Led): Statement | null {
  const { closing } = report
  if (!closing) return insertion({ ...key, ...base })
  if (past) return null
  if (opened.has(id)) return completion(key, closed(closing), 'fend')
  return bothReported ? insertion({ ...key, ...base, ...closed(closing) }) : null
}

/** Sets fields of an item that is there and lacks the field `without`. */
function completion({ pk, sk }: Key, fields: Record<string, unknown>, without: string): Statement {
  const set = Object.keys(fields).map((name) => `"${name}" = ?`)
  return {
    Statement: `UPDATE "${tableName()}" SET ${set.join(', ')} WHERE "pk" = ? AND "sk" = ? AND "${without}" IS MISSING`,
    Parameters: [...Object.values(fields), pk, sk],
  }
}

/** True when nothing is left to do. An open report adds nothing to a flow that is there, but may leave a pointer behind. */
function isSettled({ ingested: { id, report }, past }: Led, outcome: Outcome | undefined): boolean {
  if (report.closing) opened.delete(id)
  else if (outcome === 'done') noteOpened(id)
  return outcome === 'done' || (outcome === 'unmet' && !report.closing && !past)
}

async function storeAlone({ ingested: { id, claims, report }, key, base, past }: Led): Promise<void> {
  let isClosed = report.closing !== null
  try {
    await (report.closing ? close(key, base, report.closing) : open(key, base))
  } catch (error) {
    // It is open or closed already: nothing to do.
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    isClosed ||= error.Item !== undefined && 'fend' in error.Item
  }
  if (isClosed && past) {
    await table().send(new DeleteCommand({ TableName: tableName(), Key: openPointerKey(claims.account_id, id) }))
  }
}

/** Writes what leads to a flow that began before the window of a query: its pointer, or the mark of its slice. */
async function lead({ id, claims, ingestedAt, report }: IngestedReport, past: boolean): Promise<void> {
  const { flow_start: start, closing } = report
  const pointed = { account: claims.account_id, id, actor: claims.initiator_actor_id, ingestedAt }
  if (!closing && !past) return markSlice(claims.account_id, sliceOf(start))
  const Item = closing ? longPointer(pointed, start, closing.flow_end) : openPointer(pointed)
  if (Item) await table().send(new PutCommand({ TableName: tableName(), Item }))
}

const open = (key: Key, base: Base) =>
  table().send(
    new PutCommand({
      TableName: tableName(),
      Item: { ...key, ...base },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )

const closed = (closing: Closing) => ({
  // As bigint, because a time beyond 2255 is a number that the table's client refuses.
  fend: BigInt(closing.flow_end),
  last: BigInt(closing.last_packet),
  rxp: String(closing.rx_packets),
  txp: String(closing.tx_packets),
  rxb: String(closing.rx_bytes),
  txb: String(closing.tx_bytes),
  outers: JSON.stringify(closing.outers),
})

/** Sets what closes the flow, and the rest only where no open report came before. */
function close(key: Key, base: Base, closing: Closing) {
  const fields = closed(closing)
  const first = Object.keys(base)
  const added = Object.keys(fields)
  const set = [
    ...first.map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
    ...added.map((name) => `#${name} = :${name}`),
  ]
  return table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: key,
      UpdateExpression: `SET ${set.join(', ')}`,
      ConditionExpression: 'attribute_not_exists(fend)',
      ExpressionAttributeNames: Object.fromEntries([...first, ...added].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries({ ...base, ...fields }).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  )
}
