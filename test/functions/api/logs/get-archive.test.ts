import { expect, it } from 'vitest'
import { handler as getArchive } from '#functions/api/logs/get-archive.ts'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { leafHash, provesInclusion } from '#shared/seal/merkle/merkle-proof.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote, parseVerifierKey } from '#shared/seal/notes/signed-note.ts'
import { closeRecord, flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { bytes, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

const counters = ['rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes']

/** Stores closed flows with a 64-bit counter. Returns their log ids. */
async function storeFlows(account: string, count: number): Promise<string[]> {
  const { claims } = await newFlowGrant(account)
  const reports = Array.from({ length: count }, (_, i) => {
    const flow_start = timestamp(clock.now() - 60_000_000)
    const record = closeRecord({ inner_src_port: i, flow_start, rx_bytes: 2n ** 63n - 1n })
    return (checkFlowReport(record) as { report: FlowReport }).report
  })
  await storeFlowLogs({ Records: [flowRecord(claims(), clock.now(), ...reports)] })
  return reports.map((report) => flowLogId(claims(), report))
}

it('is empty before the first flush', async () => {
  const { get } = await newSealedAccount()
  expect((await get(getArchive, {})).body.data).toMatchObject({
    watermark: null,
    sealed_until: null,
    bucket: null,
    prefix: 'v1/',
    manifests: 0,
    erasures: [],
  })
})

it('archives all streams, seals the manifest, and proves a flow in its file', async () => {
  const { account, get, checkpoint, proof } = await newSealedAccount()
  const ids = await storeFlows(account.id, 20)
  const id = ids[7] as string
  const early = await proof(id)
  expect([early.status, early.body.code]).toEqual([409, 'not_sealed_yet'])
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(300)
  advanceMinutes(80)
  for (const log of ['changes', 'activity'] as const) await sealNow(account.id, log)
  await flushAccount(account.id, Number.POSITIVE_INFINITY)

  const { data } = (await get(getArchive, {})).body
  expect(data).toMatchObject({ manifests: 1, sealed_until: null })
  const rows = Object.fromEntries(data.streams.map((one: { stream: string; rows: number }) => [one.stream, one.rows]))
  expect(rows).toMatchObject({ flow: 20, change: expect.any(Number), api_request: expect.any(Number), session: 0 })
  expect(rows.change).toBeGreaterThan(0)
  expect((await proof(id)).status).toBe(409)

  await sealNow(account.id, 'archive')
  const { size, root, note, verifier_key } = await checkpoint('archive')
  const signed = parseCheckpoint(openNote(note, parseVerifierKey(verifier_key)) ?? '')
  expect(signed).toMatchObject({ size: 1, origin: `access.example.com/${account.id}/archive` })
  const proven = (await proof(id)).body.data
  expect(proven).toMatchObject({ log: 'archive', leaf_index: 0, size, root, note })
  const leaf = leafHash(proven.manifest)
  expect(provesInclusion(leaf, 0, size, proven.path.map(bytes), signed.root)).toBe(true)
  const { files, until } = JSON.parse(proven.manifest)
  const file = files.find(({ key }: { key: string }) => key === proven.file.key)
  expect(file).toMatchObject({ stream: 'flow', rows: 20, root: proven.file.root })
  const { text } = await get(getLog, { log_id: id })
  const entry = JSON.parse(text).data
  for (const name of counters) entry[name] = new RegExp(`"${name}":(\\d+)`).exec(text)?.[1]
  const row = leafHash(canonicalJson(entry))
  expect(row.toString('base64')).toBe(proven.file.leaf_hash)
  expect(provesInclusion(row, proven.file.index, file.rows, proven.file.path.map(bytes), bytes(file.root))).toBe(true)
  expect((await get(getArchive, {})).body.data.sealed_until).toBe(until)
})
