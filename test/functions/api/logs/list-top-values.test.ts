import { expect, it } from 'vitest'
import { handler as listTopValues } from '#functions/api/logs/list-top-values.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { closeRecord, flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'

it('lists ten actors by flows by default, and other values by bytes', async () => {
  const account = await newAccount()
  const grants = await Promise.all(Array.from({ length: 12 }, () => newFlowGrant(account.id)))
  const flow_start = timestamp(clock.now())
  for (const [i, grant] of grants.entries()) {
    const reports = Array.from({ length: i + 1 }, (_, n) =>
      closeRecord({ inner_src_port: n, flow_start, rx_bytes: 100 - 9 * i, tx_bytes: 0 }),
    ).map((record) => (checkFlowReport(record) as { report: FlowReport }).report)
    await storeFlowLogs({ Records: [flowRecord(grant.claims(), clock.now(), ...reports)] })
  }
  const list = async (query: string) => (await account.call(listTopValues, { query })).body.data
  const actors = grants.map(({ attribution }) => attribution.initiator_actor_id)
  const byFlows = await list('')
  expect(byFlows).toMatchObject({ watermark: null, counted_from: null, approximate: false })
  expect(byFlows.values.map(({ value }: { value: string }) => value)).toEqual(actors.toReversed().slice(0, 10))
  expect(byFlows.values[0]).toEqual({ value: actors[11], flows: 12, rx_bytes: 12, tx_bytes: 0 })
  const byBytes = await list('by=gateway&order=bytes&limit=1')
  expect(byBytes.values).toEqual([
    { value: grants[5]?.attribution.responder_device_id, flows: 6, rx_bytes: 330, tx_bytes: 0 },
  ])
  const filtered = await list(`by=policy&actor_id=${actors[2]}&role=initiator`)
  expect(filtered.values).toEqual([{ value: grants[2]?.attribution.policy_id, flows: 3, rx_bytes: 246, tx_bytes: 0 }])
  expect((await list('role=responder')).values).toEqual([])
})
