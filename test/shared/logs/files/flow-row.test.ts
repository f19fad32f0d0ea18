import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { timestamp } from '#shared/core/clock.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { flowRow } from '#shared/logs/files/flow-row.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { flowReport } from '#test/support/logs/flow-account.ts'
import { newFlowGrant } from '#test/support/logs/flows.ts'

const start = 1_795_000_000_000_000
const { attribution, claims } = await newFlowGrant(randomUUID(), { policy_authorization_id: randomUUID() })
const ids = claims()

function newFlow(end: number | null): BufferedFlow {
  const report = flowReport(start, { end, domain: 'wiki.example.com' })
  const fend = end === null ? {} : { fend: end }
  return { sk: flowLogId(ids, report), at: start + 1, ...fend, ids, report, storedAt: start + 2, rank: 'rank' }
}

it('has the fields of the report, the ids of the token and the attribution', () => {
  const flow = newFlow(start + 9)
  const row = flowRow(flow, attribution)
  expect(row).toMatchObject({
    log_id: flow.sk,
    timestamp: start + 1,
    stored_at: start + 2,
    flow_start: start,
    flow_end: start + 9,
    last_packet: start + 9,
    rx_packets: 1n,
    tx_packets: 2n,
    rx_bytes: 3n,
    tx_bytes: 4n,
    role: 'initiator',
    inner_domain: 'wiki.example.com',
    initiator_actor_email: 'grace@example.com',
    resource_name: 'Wiki',
    initiator_device_serial: null,
    policy_id: ids.policy_id,
  })
  expect(rowEntry('flow', row)).toMatchObject({
    ...attribution,
    type: 'flow',
    log_id: flow.sk,
    timestamp: timestamp(start + 1),
    flow_start: timestamp(start),
  })
})

it('has null close fields if the flow is open', () => {
  const row = flowRow(newFlow(null), attribution)
  const names = ['flow_end', 'last_packet', 'outers', 'rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes']
  expect(names.map((name) => row[name])).toEqual(names.map(() => null))
})

it('keeps the ids of the token without an attribution, and all other fields of it null', () => {
  const entry = rowEntry('flow', flowRow(newFlow(start + 9), undefined)) as unknown as Record<string, unknown>
  const { policy_authorization_id, policy_id, resource_id } = ids
  const { initiator_device_id, responder_device_id, initiator_actor_id } = ids
  const kept = {
    policy_authorization_id,
    policy_id,
    resource_id,
    initiator_device_id,
    responder_device_id,
    initiator_actor_id,
  }
  expect(entry).toMatchObject(kept)
  for (const name of Object.keys(attribution)) if (!(name in kept)) expect([name, entry[name]]).toEqual([name, null])
})

it('preserves 64-bit counters', () => {
  const flow = newFlow(start + 9)
  const { closing } = flow.report
  if (closing) closing.rx_bytes = '9223372036854775807'
  expect(flowRow(flow, attribution).rx_bytes).toBe(9_223_372_036_854_775_807n)
})
