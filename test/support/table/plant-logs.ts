import { randomUUID } from 'node:crypto'
import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import { type LogStream, logId, logStreams, positionTail } from '#shared/logs/entries/log-id.ts'
import { dayOf, flowKey, flowShard } from '#shared/logs/entries/log-keys.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import {
  actorSlicesPartition,
  flowDaysPartition,
  longPointer,
  openPointer,
  sliceOf,
  sliceSort,
} from '#shared/logs/flows/flow-index.ts'
import type { Item, Key } from '#shared/table/keys.ts'
import { newFlowGrant } from '../logs/flows.ts'
import { plantIntoFile } from './plant-items.ts'

/** Actor in the inserted log entries. The actor `rare` has 100 entries per stream, and busy actors share the rest. */
type PlantedActor = { id: string; email: string; authorization: string }
export type PlantedLogs = { begin: number; end: number; rare: PlantedActor; busy: PlantedActor }

const days = 30
const rareEntries = 100
const actors = 5
/** Number of consecutive flows by the same actor. */
const burst = 20

/** Returns an id in the given shard, so that flow queries read the same amount in each run. */
function idInShard(shard: number): string {
  let id = randomUUID()
  while (flowShard(id) !== shard) id = randomUUID()
  return id
}

async function newActor(account: string, name: string, shard: number): Promise<PlantedActor> {
  const email = `${name}@example.com`
  const { attribution } = await newFlowGrant(account, {
    initiator_actor_id: idInShard(shard),
    initiator_actor_email: email,
  })
  return { id: attribution.initiator_actor_id, email, authorization: attribution.policy_authorization_id }
}

/**
 * Writes `count` log entries as the service stores them, with a quarter in each stream, evenly spread over the last month. One flow in
 * twenty is long, and one in a hundred is open.
 */
export async function plantLogs(account: string, count: number): Promise<PlantedLogs> {
  const rare = await newActor(account, 'rare', actors)
  const others = await Promise.all(Array.from({ length: actors }, (_, i) => newActor(account, `actor-${i}`, i)))
  const begin = Math.floor(clock.now() / dayMicros - days - 1) * dayMicros
  const perStream = count / logStreams.length
  const isRare = (n: number) =>
    Math.floor(((n + 1) * rareEntries) / perStream) > Math.floor((n * rareEntries) / perStream)
  const marks = new Map<string, Item & { shards?: Set<number> }>()
  const mark = ({ pk, sk }: Key, shard?: number) => {
    const item = marks.get(`${pk} ${sk}`) ?? {
      pk,
      sk,
      kind: 'flow_mark',
      ...(shard !== undefined && { shards: new Set<number>() }),
    }
    if (shard !== undefined) item.shards?.add(shard)
    marks.set(`${pk} ${sk}`, item)
  }

  function flowItems(at: number, n: number, { id: actor, authorization }: PlantedActor): Item[] {
    const id = logId('flow', at, positionTail(n))
    const pointed = { account, id, actor, ingestedAt: at }
    const end = n % 100 === 5 ? null : at + (n % 20 === 10 ? 7_200_000_000 : 30_000_000)
    mark({ pk: flowDaysPartition(account), sk: dayOf(at) }, flowShard(actor))
    mark({ pk: actorSlicesPartition(account, actor), sk: sliceSort(sliceOf(at)) })
    const flow = {
      ...flowKey(account, actor, id),
      kind: 'log',
      at,
      ...flowFields,
      sport: n % 60_000,
      auth: authorization,
      actor,
    }
    if (end === null) return [flow, openPointer(pointed)]
    const pointer = longPointer(pointed, at, end)
    return [{ ...flow, fend: end, last: end, ...closedFields }, ...(pointer ? [pointer] : [])]
  }

  function* items(): Generator<Item> {
    for (let i = 0; i < count; i++) {
      const stream = logStreams[i % logStreams.length] as LogStream
      const n = Math.floor(i / logStreams.length)
      const at = begin + Math.floor((i * days * dayMicros) / count)
      const actor = isRare(n) ? rare : (others[Math.floor(n / burst) % actors] as PlantedActor)
      if (stream === 'flow') yield* flowItems(at, n, actor)
      else yield* logItems(account, stream, logId(stream, at, positionTail(n)), at, entryFields(stream, actor))
    }
    yield* marks.values()
  }
  plantIntoFile(items())
  return { begin, end: begin + days * dayMicros, rare, busy: others[0] as PlantedActor }
}

const flowFields = {
  role: 'initiator',
  prot: 'tcp',
  sip: '100.64.0.1',
  dip: '100.96.0.1',
  dport: 443,
  dom: 'wiki.example.com',
}
const closedFields = {
  rxp: '120',
  txp: '90',
  rxb: '150000',
  txb: '21000',
  outers: JSON.stringify([
    { src_ip: '198.51.100.7', src_port: 51_820, dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at: 0 },
  ]),
}

const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: 'planted' }

function entryFields(stream: Exclude<LogStream, 'flow'>, { id, email }: PlantedActor): Record<string, unknown> {
  if (stream === 'api_request') {
    return {
      actor_id: id,
      api_token_id: id,
      method: 'GET',
      path: '/groups',
      content_length: null,
      request_id: id,
      ...origin,
    }
  }
  const subject = {
    actor_id: id,
    actor_name: 'Planted',
    actor_type: 'account_user',
    actor_email: email,
    auth_provider_id: null,
    device_id: id,
    gateway_id: null,
    token_id: id,
    ...origin,
  }
  if (stream === 'session') return { context: 'client', subject }
  const row = { id, name: 'A group', inserted_at: timestamp(0), updated_at: timestamp(0) }
  return { object: 'groups', operation: 'update', before: row, after: row, subject }
}
