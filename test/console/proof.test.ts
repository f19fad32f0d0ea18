import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { parseExact } from '#functions/console/client/exact-json.ts'
import type { Entry } from '#functions/console/logs/entries.ts'
import { readNote } from '#functions/console/proof/note.ts'
import { type Proof, prove, relationOf } from '#functions/console/proof/prove.ts'
import { handler as sealPub } from '#functions/public/seal-pub.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { table, tableName } from '#shared/table/table.ts'
import { call } from '#test/support/accounts/account.ts'
import { alterEntry, readChangeEntries } from '#test/support/logs/change-log-items.ts'
import { closeRecord, flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { changeSites, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

type World = Awaited<ReturnType<typeof newSealedAccount>>
type Damage = (claim: Claim) => Claim
type Claim = Awaited<ReturnType<typeof claimOf>>

const readKey = async () => (await call(sealPub, { method: 'GET', path: '/seal.pub' })).text.trim()

/** Reads an entry and its proof as the console does. */
async function claimOf({ account, get, proof }: World, logId: string) {
  const { text } = await get(getLog, { log_id: logId })
  const entry = parseExact<{ data: Entry }>(text).data
  return { logId, entry, proof: (await proof(logId)).body.data as Proof, key: await readKey(), account: account.id }
}

/** Names the steps that are not valid. */
const failuresOf = async (claim: Claim): Promise<string[]> =>
  (await prove(claim)).flatMap(({ kind, isValid }) => (isValid ? [] : [kind]))

async function sealedChanges() {
  const world = await newSealedAccount()
  await sealNow(world.account.id)
  const [newest, ...older] = (await world.changes()).map(({ log_id }) => log_id)
  return { world, ids: [newest ?? '', ...older] }
}

it('proves every change, and reports each tampering that a reader can detect (K9.3, S6)', async () => {
  const { world, ids } = await sealedChanges()
  for (const id of ids) expect(await failuresOf(await claimOf(world, id))).toEqual([])
  const [claim, second] = [await claimOf(world, ids[0] ?? ''), await claimOf(world, ids[1] ?? '')]
  const stranger = await sealedChanges()
  const foreign = await claimOf(stranger.world, stranger.ids[0] ?? '')
  const damages: Record<string, [Damage, string[]]> = {
    'a changed field': [(one) => ({ ...one, entry: { ...one.entry, timestamp: 'x' } }), ['entry']],
    'an added field': [(one) => ({ ...one, entry: { ...one.entry, extra: 1 } as never }), ['entry']],
    'a text without canonical form': [
      (one) => ({ ...one, entry: { ...one.entry, object: '\ud800' } as never }),
      ['entry'],
    ],
    'another entry for this id': [(one) => ({ ...second, logId: one.logId }), ['entry']],
    'two swapped entries': [(one) => ({ ...one, entry: second.entry }), ['entry']],
    'an inserted entry with the proof of another': [(one) => ({ ...one, proof: second.proof }), ['entry']],
    'a leaf that was replaced with the entry': [
      (one) => ({
        ...one,
        proof: { ...one.proof, leaf_hash: second.proof.leaf_hash },
        entry: second.entry,
        logId: second.logId,
      }),
      ['tree'],
    ],
    'a replaced tile': [
      (one) => ({ ...one, proof: { ...one.proof, path: one.proof.path.map(() => second.proof.leaf_hash) } }),
      ['tree'],
    ],
    'a path that is too short': [
      (one) => ({ ...one, proof: { ...one.proof, path: one.proof.path.slice(1) } }),
      ['tree'],
    ],
    'another position': [
      (one) => ({ ...one, proof: { ...one.proof, leaf_index: one.proof.leaf_index - 1 } }),
      ['tree'],
    ],
    'a note that is malformed': [(one) => ({ ...one, proof: { ...one.proof, note: 'x' } }), ['tree', 'signature']],
    'a root that was replaced in the note': [
      (one) => ({
        ...one,
        proof: { ...one.proof, note: one.proof.note.replace(one.proof.root, second.proof.leaf_hash) },
      }),
      ['tree', 'signature'],
    ],
    'a checkpoint of another account': [(one) => ({ ...one, account: foreign.account }), ['signature']],
    'a note that another key signed': [(one) => ({ ...one, key: foreign.key.replace(/.$/, 'x') }), ['signature']],
    'a proof of another log': [(one) => ({ ...one, proof: { ...one.proof, log: 'activity' } }), ['entry', 'signature']],
  }
  for (const [name, [damage, kinds]] of Object.entries(damages))
    expect(await failuresOf(damage(claim)), name).toEqual(kinds)
})

it('reports an entry that was changed in the table', async () => {
  const { world, ids } = await sealedChanges()
  const stored = (await readChangeEntries(world.account.id)).find(({ sk }) => sk === ids[0])
  if (!stored) throw new Error('The change log has no such entry.')
  await table().send(new PutCommand({ TableName: tableName(), Item: alterEntry(stored, { run_id: 'r1' }) }))
  expect(await failuresOf(await claimOf(world, ids[0] ?? ''))).toEqual(['entry'])
  expect(await failuresOf(await claimOf(world, ids[1] ?? ''))).toEqual([])
})

it('proves an API request in its hour, and reports another hour, stream or size', async () => {
  const world = await newSealedAccount()
  const requests = async () => (await world.get(listLogs, {}, { type: 'api_request', limit: '3' })).body.data
  await requests()
  const id = (await requests())[1].log_id
  advanceMinutes(80)
  await sealNow(world.account.id, 'activity')
  const claim = await claimOf(world, id)
  expect(await failuresOf(claim)).toEqual([])
  const { hour } = claim.proof
  if (!hour) throw new Error('The proof has no hour.')
  const damaged = (change: Partial<typeof hour>) =>
    failuresOf({ ...claim, proof: { ...claim.proof, hour: { ...hour, ...change } } })
  expect(await damaged({ hour: hour.hour.replace(/^..../, '1999') })).toEqual(['hour', 'tree'])
  expect(await damaged({ stream: 'session' })).toEqual(['hour', 'tree'])
  expect(await damaged({ root: claim.proof.root })).toEqual(['hour', 'tree'])
  expect(await damaged({ path: [] })).toEqual(['hour'])
  const { hour: _, ...without } = claim.proof
  expect(await failuresOf({ ...claim, proof: without })).toEqual(['entry'])
})

it('proves a flow with counters of 64 bits in its archive file, and reports another file, manifest or counter', async () => {
  const world = await newSealedAccount()
  const { claims } = await newFlowGrant(world.account.id)
  const reports = Array.from({ length: 5 }, (_, i) => {
    const flow_start = timestamp(clock.now() - 60_000_000)
    const record = closeRecord({ inner_src_port: i, flow_start, rx_bytes: 2n ** 63n - 1n })
    return (checkFlowReport(record) as { report: FlowReport }).report
  })
  await storeFlowLogs({ Records: [flowRecord(claims(), clock.now(), ...reports)] })
  advanceMinutes(80)
  for (const log of ['changes', 'activity'] as const) await sealNow(world.account.id, log)
  await flushAccount(world.account.id, Number.POSITIVE_INFINITY)
  await sealNow(world.account.id, 'archive')
  const claim = await claimOf(world, flowLogId(claims(), reports[2] as FlowReport))
  expect(claim.entry).toMatchObject({ rx_bytes: 2n ** 63n - 1n })
  expect(await failuresOf(claim)).toEqual([])
  expect(await failuresOf({ ...claim, entry: { ...claim.entry, rx_bytes: 2n ** 63n } as never })).toEqual(['entry'])
  const { file, manifest = '' } = claim.proof
  if (!file) throw new Error('The proof has no file.')
  const damaged = (change: Partial<Proof>) => failuresOf({ ...claim, proof: { ...claim.proof, ...change } })
  expect(await failuresOf({ ...claim, account: 'other' })).toEqual(['file', 'signature'])
  expect(await damaged({ leaf_index: claim.proof.leaf_index + 1 })).toEqual(['file', 'tree'])
  expect(await damaged({ file: { ...file, key: 'other' } })).toEqual(['file'])
  expect(await damaged({ file: { ...file, index: file.index + 1 } })).toEqual(['file'])
  expect(await damaged({ manifest: manifest.replaceAll(file.root, claim.proof.root) })).toEqual(['file', 'tree'])
  expect(await damaged({ manifest: '' })).toEqual(['file', 'tree'])
})

it('reports a log that does not extend the checkpoint that the browser has seen (K9.4)', async () => {
  const { world, ids } = await sealedChanges()
  const kept = readNote((await claimOf(world, ids[0] ?? '')).proof.note) ?? undefined
  await changeSites(world.account.id, 2)
  await sealNow(world.account.id)
  const next = readNote((await claimOf(world, ids[0] ?? '')).proof.note)
  if (!kept || !next) throw new Error('A note has no checkpoint.')
  const readPath = async (from: number, to: number) =>
    (await world.get(getConsistency, { log: 'changes' }, { from: String(from), to: String(to) })).body.data.path
  expect(next.size).toBeGreaterThan(kept.size)
  expect(await relationOf(kept, next, readPath)).toBe('extends')
  expect(await relationOf(next, kept, readPath)).toBe('truncated')
  expect(await relationOf({ ...kept, root: next.root }, next, readPath)).toBe('forked')
})
