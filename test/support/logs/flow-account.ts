import { randomUUID } from 'node:crypto'
import { expect, type MockInstance, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, dayMicros } from '#shared/core/clock.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { openFlows, openVersions } from '#shared/logs/blocks/open-set.ts'
import { idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { sealNothing } from './archive.ts'
import { flowRecord, newFlowGrant } from './flows.ts'

/** Start of the simulated time: the beginning of a day within the retention of flows. */
export const simulatedDay = (): number => Math.floor(clock.now() / dayMicros) * dayMicros - 20 * dayMicros

type ReportFields = Partial<FlowReport> & { end?: number | null; rx_bytes?: number }

/** Creates a report of a flow that starts at `flow_start`. Without `end`, the flow is open. */
export const flowReport = (flow_start: number, { end = null, rx_bytes = 3, ...fields }: ReportFields = {}) => ({
  protocol: 'tcp' as const,
  inner_src_ip: '100.64.0.1',
  inner_src_port: 50_000,
  inner_dst_ip: '100.96.0.1',
  inner_dst_port: 443,
  domain: null,
  flow_start,
  closing:
    end === null
      ? null
      : {
          flow_end: end,
          last_packet: end,
          rx_packets: 1,
          tx_packets: 2,
          rx_bytes,
          tx_bytes: 4,
          outers: [
            { src_ip: null, src_port: null, dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at: flow_start },
          ],
        },
  ...fields,
})

let spy: MockInstance<typeof clock.now> | undefined

/** Sets the service's clock until the mocks are restored. */
export function setClock(at: number): void {
  spy = vi.spyOn(clock, 'now')
  spy.mockReturnValue(at)
}

/** Returns the ids of the flows in the open set that readers use. */
export async function openFlowIds(account: string): Promise<string[]> {
  const ids: string[] = []
  const walk = { range: { first: idFrom('flow', 0), last: idUntil('flow', lastLogMicros) }, ascending: true }
  for await (const version of openVersions(account, (await readArchiveState(account))?.watermark ?? 0))
    for (const { sk } of openFlows(account, version, walk)) ids.push(sk)
  return ids.sort()
}

/** Creates an account without a row, whose flows are stored and flushed at simulated times. */
export async function newFlowAccount(account: string = randomUUID()) {
  const claims = (await newFlowGrant(account)).claims()
  const record = (at: number, ...reports: FlowReport[]) => flowRecord(claims, at, ...reports)
  const store = async (at: number, ...reports: FlowReport[]) => {
    setClock(at)
    expect(await storeFlowLogs({ Records: [record(at, ...reports)] })).toEqual({ batchItemFailures: [] })
  }
  const flush = async (at: number, deadline = Number.POSITIVE_INFINITY) => {
    setClock(at)
    await sealNothing(account)
    await flushAccount(account, deadline)
  }
  const openIds = () => openFlowIds(account)
  const idOf = (report: FlowReport) => flowLogId(claims, report)
  const state = () => readArchiveState(account)
  return { account, claims, record, store, flush, openIds, idOf, state }
}
