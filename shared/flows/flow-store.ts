import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../clock.ts'
import { parseLogId } from '../logs/log-id.ts'
import { dayOf, flowShard, logPartition, logTtl } from '../logs/log-keys.ts'
import { table, tableName } from '../table/client.ts'
import { type Key, partition } from '../table/keys.ts'
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

/** Which partitions hold flows: one small item for each day and shard, so that a query knows where to look. */
export const flowDaysPartition = (account: string): string => partition(account, 'log.flow.days')

const noted = new Map<string, number>()
const dayMicros = 86_400_000_000

/**
 * Notes once a day and process that a day and shard hold flows; before the flow, so that no flow is where nobody looks.
 * The note outlives the last flow that it was made for.
 */
async function noteDay(account: string, day: string, shard: number): Promise<void> {
  const key = { pk: flowDaysPartition(account), sk: `${day}#${String(shard).padStart(2, '0')}` }
  const name = `${key.pk} ${key.sk}`
  const now = clock.now()
  if (now - (noted.get(name) ?? 0) < dayMicros) return
  const ttl = logTtl('flow', now + 3 * dayMicros)
  await table().send(new PutCommand({ TableName: tableName(), Item: { ...key, kind: 'flow_day', ttl } }))
  if (noted.size > 100_000) noted.clear()
  noted.set(name, now)
}

/** One conditional write per report, whatever came before it and however often it comes (L11). */
export async function storeFlow({ id, claims, ingestedAt, report }: IngestedReport): Promise<void> {
  const shard = flowShard(claims.initiator_actor_id)
  const day = dayOf((parseLogId(id) as { micros: number }).micros)
  const key = { pk: logPartition(claims.account_id, 'flow', day, shard), sk: id }
  await noteDay(claims.account_id, day, shard)
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
  try {
    await (report.closing ? close(key, base, report.closing) : open(key, base))
  } catch (error) {
    // It is open or closed already: nothing to do.
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}

const open = (key: Key, base: object) =>
  table().send(
    new PutCommand({
      TableName: tableName(),
      Item: { ...key, ...base },
      ConditionExpression: 'attribute_not_exists(pk)',
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
