import type { Flow } from '../../logs/entries.ts'
import { groupsOf } from '../../logs/field-changes.ts'

const counters = ['tx_bytes', 'rx_bytes', 'tx_packets', 'rx_packets'] as const

/** Flow as both sides report it. `shown` is the gateway's report, if there is one, because it is closer to the resource. */
export type FlowPair = {
  shown: Flow
  reports: Flow[]
  /** Client's counters minus the gateway's, where they differ; exact to 64 bits. Null unless both sides have counters. */
  differences: Array<[counter: (typeof counters)[number], difference: bigint]> | null
}

/** Identity of a flow without the side that reported it (L11). Both sides report the same start. */
const identity = (flow: Flow): string =>
  JSON.stringify([
    flow.initiator_device_id,
    flow.flow_start,
    flow.protocol,
    ...[flow.inner_src_ip, flow.inner_src_port, flow.inner_dst_ip, flow.inner_dst_port],
    flow.resource_id,
  ])

/** Joins the reports of both sides of each flow, in the order of the reports (K8.3). */
export const pairsOf = (flows: Flow[]): FlowPair[] =>
  groupsOf(flows, identity).map((reports) => {
    const gateway = reports.find(({ role }) => role === 'responder')
    const client = reports.find(({ role }) => role === 'initiator')
    const differences = counters.map((name) => {
      const [sent, received] = [client?.[name] ?? null, gateway?.[name] ?? null]
      return [name, sent === null || received === null ? null : sent - received] as const
    })
    const isKnown = differences.every(([, difference]) => difference !== null)
    const unequal = differences.flatMap(([name, difference]) =>
      difference ? [[name, difference] as [typeof name, bigint]] : [],
    )
    return { shown: gateway ?? (reports[0] as Flow), reports, differences: isKnown ? unequal : null }
  })
