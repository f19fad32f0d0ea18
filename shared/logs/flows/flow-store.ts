import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../core/clock.ts'
import { table, tableName } from '../../table/client.ts'
import type { Key } from '../../table/keys.ts'
import { dayOf, flowKey, flowShard, logTtl } from '../log-keys.ts'
import { isPast, longPointer, openPointer, openPointerKey, sliceOf } from './flow-index.ts'
import { markActor, markDay, markSlice } from './flow-marks.ts'
import type { FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

/** A report on its way to the log. */
export type IngestedReport = { id: string; claims: IngestClaims; ingestedAt: number; report: FlowReport }

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

/**
 * One conditional write per report, whatever came before it and however often it comes (L11). What leads to the flow is
 * written before it, so that no flow is where nobody looks, and only where the flow is long or its marks are not known
 * to stand.
 */
export async function storeFlow(ingested: IngestedReport): Promise<void> {
  const { id, claims, ingestedAt, report } = ingested
  const { account_id: account, initiator_actor_id: actor } = claims
  const key = flowKey(account, actor, id)
  const slice = sliceOf(report.flow_start)
  const past = isPast(slice, clock.now())
  await Promise.all([
    markDay(account, dayOf(report.flow_start), flowShard(actor)),
    markActor(account, actor, slice),
    lead(ingested, past),
  ])
  const base = {
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
  let closed = report.closing !== null
  try {
    await (report.closing ? close(key, base, report.closing) : open(key, base))
  } catch (error) {
    // It is open or closed already: nothing to do.
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    closed ||= error.Item !== undefined && 'fend' in error.Item
  }
  if (closed && past) {
    await table().send(new DeleteCommand({ TableName: tableName(), Key: openPointerKey(account, id) }))
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

const open = (key: Key, base: object) =>
  table().send(
    new PutCommand({
      TableName: tableName(),
      Item: { ...key, ...base },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )

/** Sets what closes the flow, and the rest only where no open report came before. */
function close(key: Key, base: object, closing: NonNullable<FlowReport['closing']>) {
  const closed = {
    // As bigint, because a time beyond 2255 is a number that the table's client refuses.
    fend: BigInt(closing.flow_end),
    last: BigInt(closing.last_packet),
    rxp: String(closing.rx_packets),
    txp: String(closing.tx_packets),
    rxb: String(closing.rx_bytes),
    txb: String(closing.tx_bytes),
    outers: JSON.stringify(closing.outers),
  }
  const first = Object.keys(base)
  const added = Object.keys(closed)
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
        Object.entries({ ...base, ...closed }).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  )
}
