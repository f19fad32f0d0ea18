import { microsOf } from '#shared/core/clock.ts'
import { logId } from '#shared/logs/entries/log-id.ts'
import type { FileRow } from '#shared/logs/files/columns.ts'
import type { FlowReport, OuterPath } from '#shared/logs/flows/flow-report.ts'

const [actors, resources, authorizations] = [200, 50, 1_000]
const hour = 3_600_000_000
/** First start of the flows. */
export const realisticBegin = microsOf('2026-11-22T09:00:00Z')

/** Returns a generator of the same random numbers in every run, so that the sizes of files can be compared. */
function randomNumbers() {
  let state = 42
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * Creates rows of flows in the order of their ids, as an account with many users reports them in an hour with `perHour` flows. Most flows
 * are short, and each has one outer path.
 */
export function realisticFlows(count: number, perHour = 1_000_000): FileRow[] {
  const random = randomNumbers()
  const hex = (digits: number) => Array.from({ length: digits }, () => random(16).toString(16)).join('')
  const uuid = () => `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`
  const address = () => `${random(223)}.${random(256)}.${random(256)}.${random(256)}`
  const people = Array.from({ length: actors }, (_, i) => ({
    initiator_device_id: uuid(),
    initiator_auth_provider_id: `0190a000-0000-7000-8000-00000000000${i % 2}`,
    initiator_actor_id: uuid(),
    initiator_actor_name: `Person Number ${i}`,
    initiator_actor_email: `person.${i}@example.com`,
    initiator_client_version: `1.5.${i % 9}`,
    initiator_device_os_name: i % 2 ? 'windows' : 'macos',
    initiator_device_os_version: `14.${i % 7}.1`,
    initiator_device_serial: hex(10).toUpperCase(),
    initiator_device_uuid: uuid().toUpperCase(),
    initiator_device_identifier_for_vendor: i % 3 ? null : uuid(),
    initiator_device_push_installation_id: i % 4 ? null : uuid(),
    inner_src_ip: `100.64.${i >> 6}.${i % 64}`,
    outer: address(),
  }))
  const targets = Array.from({ length: resources }, (_, i) => ({
    responder_device_id: uuid(),
    policy_id: uuid(),
    resource_id: uuid(),
    resource_name: `resource-${i}`,
    resource_address: `app${i}.internal.example.com`,
    inner_dst_ip: `10.0.${i}.${random(256)}`,
    inner_dst_port: [443, 22, 5432, 3389, 80][i % 5] as number,
  }))
  const grants = Array.from({ length: authorizations }, () => {
    const authorized_at = realisticBegin - random(4 * hour)
    const { outer, ...person } = people[random(actors)] as (typeof people)[number]
    const target = targets[random(resources)] as (typeof targets)[number]
    const times = { authorized_at, authorization_expires_at: authorized_at + 8 * hour }
    return { outer, fields: { ...person, ...target, policy_authorization_id: uuid(), ...times } }
  })
  const starts = Float64Array.from({ length: count }, () => realisticBegin + random((hour * count) / perHour)).sort()
  return Array.from(starts, (flow_start, i) => {
    const { outer, fields } = grants[random(authorizations)] as (typeof grants)[number]
    const flow_end = flow_start + Math.floor(-Math.log(1 - random(1_000_000) / 1_000_000) * 5_000_000)
    const reported = flow_end - (flow_end % 10_000_000) + 10_000_000 + random(100)
    const packets = Math.ceil(Math.exp(random(6_000) / 1_000))
    const path_activated_at = flow_start - random(hour)
    return {
      log_id: logId('flow', flow_start, hex(10)),
      timestamp: reported,
      stored_at: reported,
      role: i % 2 ? 'initiator' : 'responder',
      protocol: random(10) ? 'tcp' : 'udp',
      flow_start,
      flow_end,
      last_packet: flow_end - random(100_000),
      inner_src_port: 1_024 + random(64_000),
      inner_domain: fields.resource_address,
      outers: [
        { src_ip: outer, src_port: 1_024 + random(64_000), dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at },
      ],
      rx_packets: BigInt(packets),
      tx_packets: BigInt(Math.ceil(packets * 0.7)),
      rx_bytes: BigInt(packets * (60 + random(1_000))),
      tx_bytes: BigInt(packets * (60 + random(300))),
      ...fields,
    }
  })
}

/** Converts a row to a close report. All times are shifted by `shift` microseconds. */
export function toReport(row: FileRow, shift = 0): FlowReport {
  const at = (name: string) => Number(row[name]) + shift
  return {
    protocol: row.protocol as FlowReport['protocol'],
    inner_src_ip: String(row.inner_src_ip),
    inner_src_port: Number(row.inner_src_port),
    inner_dst_ip: String(row.inner_dst_ip),
    inner_dst_port: Number(row.inner_dst_port),
    flow_start: at('flow_start'),
    domain: row.inner_domain as string,
    closing: {
      flow_end: at('flow_end'),
      last_packet: at('last_packet'),
      rx_packets: String(row.rx_packets),
      tx_packets: String(row.tx_packets),
      rx_bytes: String(row.rx_bytes),
      tx_bytes: String(row.tx_bytes),
      outers: (row.outers as OuterPath[]).map((outer) => ({
        ...outer,
        path_activated_at: outer.path_activated_at + shift,
      })),
    },
  }
}

/** Creates close reports of realistic flows, without the ids of their token. */
export const realisticReports = (count: number, perHour?: number): FlowReport[] =>
  realisticFlows(count, perHour).map((row) => toReport(row))
