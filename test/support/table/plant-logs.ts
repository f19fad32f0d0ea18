import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import { type LogStream, logId, logStreams, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import type { BufferedFlow } from '#shared/logs/flows/stored-flow.ts'
import type { Item } from '#shared/table/keys.ts'
import { newFlowGrant } from '../logs/flows.ts'
import { plantFlows } from './plant-flows.ts'
import { plantIntoFile } from './plant-items.ts'

/** Actor in the inserted log entries. The actor `rare` has 100 entries per stream, and busy actors share the rest. */
type PlantedActor = { id: string; email: string; authorization: string }
export type PlantedLogs = { begin: number; end: number; rare: PlantedActor; busy: PlantedActor }

const rareEntries = 100
const actors = 5
/** Number of consecutive flows by the same actor. */
const burst = 20

async function newActor(account: string, name: string): Promise<PlantedActor> {
  const email = `${name}@example.com`
  const { attribution } = await newFlowGrant(account, { initiator_actor_email: email })
  return { id: attribution.initiator_actor_id, email, authorization: attribution.policy_authorization_id }
}

/**
 * Writes `count` log entries as the service stores them, with a quarter in each stream, evenly spread over the last days. One flow in
 * twenty is long, and one in a hundred is open.
 */
export async function plantLogs(account: string, count: number, days: number): Promise<PlantedLogs> {
  const rare = await newActor(account, 'rare')
  const others = await Promise.all(Array.from({ length: actors }, (_, i) => newActor(account, `actor-${i}`)))
  const begin = Math.floor(clock.now() / dayMicros - days - 1) * dayMicros
  const perStream = count / logStreams.length
  const isRare = (n: number) =>
    Math.floor(((n + 1) * rareEntries) / perStream) > Math.floor((n * rareEntries) / perStream)
  const flows: BufferedFlow[] = []

  function flowOf(at: number, n: number, { id: actor, authorization }: PlantedActor): BufferedFlow {
    const end = n % 100 === 5 ? null : at + (n % 20 === 10 ? 7_200_000_000 : 30_000_000)
    const closing = end === null ? null : { ...closedFields, flow_end: end, last_packet: end }
    return {
      sk: logId('flow', at, positionTail(n)),
      at,
      ...(end !== null && { fend: end }),
      ids: {
        policy_authorization_id: authorization,
        role: 'initiator',
        initiator_device_id: actor,
        responder_device_id: actor,
        initiator_actor_id: actor,
        policy_id: actor,
        resource_id: actor,
      },
      report: { ...flowFields, inner_src_port: n % 60_000, flow_start: at, closing },
      storedAt: end ?? at,
      rank: '',
    }
  }

  function* items(): Generator<Item> {
    for (let i = 0; i < count; i++) {
      const stream = logStreams[i % logStreams.length] as LogStream
      const n = Math.floor(i / logStreams.length)
      const at = begin + Math.floor((i * days * dayMicros) / count)
      const actor = isRare(n) ? rare : (others[Math.floor(n / burst) % actors] as PlantedActor)
      if (stream === 'flow') flows.push(flowOf(at, n, actor))
      else yield* logItems(account, stream, logId(stream, at, positionTail(n)), at, entryFields(stream, actor))
    }
  }
  plantIntoFile(items())
  await plantFlows(account, flows)
  return { begin, end: begin + days * dayMicros, rare, busy: others[0] as PlantedActor }
}

const flowFields = {
  protocol: 'tcp' as const,
  inner_src_ip: '100.64.0.1',
  inner_dst_ip: '100.96.0.1',
  inner_dst_port: 443,
  domain: 'wiki.example.com',
}
const closedFields = {
  rx_packets: 120,
  tx_packets: 90,
  rx_bytes: 150_000,
  tx_bytes: 21_000,
  outers: [{ src_ip: '198.51.100.7', src_port: 51_820, dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at: 0 }],
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
