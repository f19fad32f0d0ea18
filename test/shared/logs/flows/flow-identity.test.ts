import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { openRecord } from '#test/support/logs/flows.ts'

const claims = { account_id: 'acc', initiator_device_id: 'dev', role: 'initiator', resource_id: 'res' } as const
const idOf = (fields: object = {}, changes: object = {}) =>
  flowLogId({ ...claims, ...changes }, (checkFlowReport(openRecord(fields as never)) as { report: FlowReport }).report)

it('derives the id from the start and 40 bits of the identity hash (L11, A33.10)', () => {
  const micros = Date.UTC(2026, 10, 20, 10) * 1000 + 1
  const text = `acc|dev|initiator|${micros}|tcp|100.64.0.1|50000|100.96.0.1|443|res`
  const tail = createHash('sha256').update(text).digest('hex').slice(0, 10)
  expect(idOf()).toBe(`f${micros.toString(16).padStart(13, '0')}${tail}`)
})

it('derives the same id from other notations of addresses and times', () => {
  const ids = [
    { inner_src_ip: 'fd00::1', flow_start: '2026-11-20T10:00:00.5Z' },
    { inner_src_ip: 'FD00:0:0:0:0:0:0:1', flow_start: '2026-11-20T11:00:00.500000+01:00' },
    { inner_src_ip: 'fd00::0001', flow_start: '2026-11-20T10:00:00.5000009Z', domain: 'x' },
  ].map((fields) => idOf(fields))
  expect(new Set(ids).size).toBe(1)
})

it('derives another id when any part of the identity differs', () => {
  const ids = [
    idOf(),
    idOf({ protocol: 'udp' }),
    idOf({ inner_src_ip: '100.64.0.2' }),
    idOf({ inner_src_port: 1 }),
    idOf({ inner_dst_ip: '100.96.0.2' }),
    idOf({ inner_dst_port: 1 }),
    idOf({ flow_start: '2026-11-20T10:00:00.000002Z' }),
    idOf({}, { account_id: 'other' }),
    idOf({}, { initiator_device_id: 'other' }),
    idOf({}, { role: 'responder' }),
    idOf({}, { resource_id: 'other' }),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
