import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { handler as beginSealedLog } from '#functions/tasks/begin-sealed-log.ts'
import { exportLog } from '#infra/commands/export/export-log.ts'
import type { ExportOptions } from '#infra/commands/export/log-client.ts'
import { microsOf } from '#shared/core/clock.ts'
import { compareExport, verifyExport } from '#shared/seal/export/verify-export.ts'
import type { SealedLog } from '#shared/seal/log/sealed-log.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote } from '#shared/seal/notes/signed-note.ts'
import { Lease } from '#shared/seal/sealing/sealed-state.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { HandlerClient } from '#test/support/seal/handler-client.ts'
import { changeSites } from '#test/support/seal/sealed-account.ts'
import {
  advanceMinutes,
  beforeWrites,
  type SealWorld,
  sealedState,
  sealNow,
  sealWorld,
} from '#test/support/seal/sealing.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let account: Account
let world: SealWorld
let files = 0

const change = (...counts: number[]) => changeSites(account.id, ...counts)
const hour = async () => {
  await account.call(listSites, { method: 'GET' })
  advanceMinutes(76)
}
const sealBoth = async () => {
  await sealNow(account.id)
  await sealNow(account.id, 'activity')
}
const begin = (event: unknown = { account_id: account.id }) => beginSealedLog(event)

const items = () => ownTable.items(account.id)

const restore = (at: Record<string, unknown>[]) => ownTable.restore(account.id, at)

const exported = async (
  options: Partial<Omit<ExportOptions, 'begin' | 'end'> & { begin: string; end: string }> = {},
) => {
  const out = join(world.folder, '..', `export-${files++}.ndjson`)
  const all = { type: 'change' as const, begin: '1970-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', out, ...options }
  const times = { begin: microsOf(all.begin), end: microsOf(all.end) }
  await exportLog(new HandlerClient(account), { ...all, ...times })
  return out
}
const objects = () => new Map(world.paths().map((path) => [path, world.read(path)]))
const opened = async (path: string) => parseCheckpoint(openNote(world.read(path), await world.key()) ?? '')
const checkpointOf = async (log: SealedLog) =>
  (await account.call(getCheckpoint, { method: 'GET', params: { log } })).body.data

beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterAll(() => ownTable.end())
beforeEach(async () => {
  account = await newAccount()
  world = sealWorld()
  await change(3, 20)
  await hour()
})

it("begins successor logs after a restore: from the table's entries, next to the signed log", async () => {
  await change(...Array.from({ length: 12 }, () => 20))
  await sealBoth()
  const [older, olderHours] = [await exported(), await exported({ type: 'api_request' })]
  const [instant, before] = [await items(), await sealedState(account.id)]
  await change(7)
  await hour()
  await sealBoth()
  const [lost, lostHours] = [await exported(), await exported({ type: 'api_request' })]
  const ended = await sealedState(account.id)
  await restore(instant)
  // Creates a different history with as many entries as the signed one.
  await change(2)
  await hour()
  const signed = objects()
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'behind' })
  await change(5)
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'diverged' })
  await expect(sealNow(account.id, 'activity')).rejects.toMatchObject({ problem: 'diverged' })
  expect(objects()).toEqual(signed)

  const { data, error } = (await begin()) as { data?: Record<SealedLog, unknown>; error?: unknown }
  expect(error).toBeUndefined()
  const origin = `access.example.com/${account.id}/changes`
  const lastShared = JSON.parse(readFileSync(older, 'utf8').split('\n').at(-3) ?? '').log_id
  const follows = { origin, size: ended.size, root: ended.root, shared: before.size, last: lastShared }
  expect(data?.changes).toEqual({ origin: `${origin}.2`, size: before.size + 7, follows })
  expect(data?.activity).toMatchObject({ follows: { origin: `access.example.com/${account.id}/activity` } })
  // Expects that the signed objects are unchanged, and that the bucket has the whole new tree.
  for (const [path, content] of signed) expect(world.read(path)).toBe(content)
  const newest = await opened(`${account.id}/changes.2/checkpoint`)
  expect(newest).toMatchObject({
    origin: `${origin}.2`,
    size: before.size + 7,
    extensions: [`follows ${origin} ${ended.size} ${ended.root}`, `shares ${before.size} ${lastShared}`],
  })
  expect(world.paths()).toContain(`${account.id}/changes.2/tile/0/000`)
  expect(world.paths()).toContain(`${account.id}/changes.2/checkpoints/${before.size}`)
  expect(await checkpointOf('changes')).toMatchObject({
    origin: `${origin}.2`,
    follows: { ...follows, note: ended.note },
  })

  // Extends the new log. Its exports name both logs.
  await change(4)
  await hour()
  await sealBoth()
  const file = await exported()
  expect(await verifyExport(file)).toMatchObject({ seal: { entries: before.size + 11 }, follows })
  expect(await compareExport(file, older)).toContain(`extends the one with ${before.size}, ${origin}, which it follows`)
  expect(await compareExport(older, file)).toContain('which it follows')
  await expect(compareExport(file, lost)).rejects.toThrow(
    `RESTARTED: ${origin}.2 follows ${origin}, but has only the first ${before.size} of its ${ended.size} leaves`,
  )
  await expect(compareExport(file, ended.note)).rejects.toThrow('RESTARTED')
  const part = await exported({ begin: JSON.parse(readFileSync(file, 'utf8').split('\n').at(-4) ?? '').timestamp })
  await expect(compareExport(part, older)).rejects.toThrow('Neither export proves')
  const { begin: partBegin } = { begin: JSON.parse(readFileSync(part, 'utf8').split('\n')[0] ?? '').timestamp }
  expect(await compareExport(await exported({ begin: partBegin, against: older }), older)).toContain('extends')
  await expect(exported({ against: lost })).rejects.toThrow(`shares only its first ${before.size} leaves`)
  const hours = await exported({ type: 'api_request' })
  expect(await compareExport(hours, olderHours)).toContain('which it follows')
  await expect(compareExport(hours, lostHours)).rejects.toThrow('RESTARTED')
  for (const one of [lost, lostHours, older]) await verifyExport(one)
  // Expects that the new log proves an entry that both logs share.
  const proof = await account.call(getProof, { method: 'GET', params: { log_id: lastShared } })
  expect(proof.body.data).toMatchObject({ leaf_index: before.size - 1, size: before.size + 11 })
  // Expects that a checkpoint of the old log can still be requested by its tree size.
  expect(
    (
      await account.call(getProof, {
        method: 'GET',
        params: { log_id: lastShared },
        query: { size: String(before.size) },
      })
    ).body.data.note,
  ).toBe(before.note)

  // Restores the table to the same time again. The next log skips number 2, which belongs to a discarded history.
  const second = objects()
  await restore(instant)
  await change(1)
  const again = (await begin()) as unknown as { data: Record<SealedLog, { origin: string }> }
  expect(again.data.changes.origin).toBe(`${origin}.3`)
  for (const [path, content] of second) expect(world.read(path)).toBe(content)
})

it('skips a log that can continue', async () => {
  await sealBoth()
  await change(1)
  expect(await begin()).toEqual({ data: { changes: null, activity: null, archive: null } })
  expect((await checkpointOf('changes')).follows).toBeNull()
  expect(world.paths().filter((path) => path.includes('.2/'))).toEqual([])
})

it('completes one successor log after an interruption at any write', async () => {
  await sealBoth()
  const instant = await items()
  await change(2)
  await sealNow(account.id)
  const ended = objects()
  for (let broken = 0, isThrough = false; !isThrough; broken++) {
    await restore(instant)
    for (const path of world.paths()) if (!ended.has(path)) rmSync(join(world.folder, path))
    let writes = 0
    const stop = beforeWrites(() => {
      if (writes++ === broken) throw new Error('killed')
    })
    isThrough = 'data' in (await begin())
    stop()
    await begin()
    expect((await checkpointOf('changes')).origin).toBe(`access.example.com/${account.id}/changes.2`)
    expect(world.paths().some((path) => path.includes('changes.3'))).toBe(false)
    await change(3)
    await sealNow(account.id)
    expect((await verifyExport(await exported())).follows).not.toBeNull()
    if (isThrough) expect(broken).toBeGreaterThan(3)
  }
})

it('begins with the first entry if the restored table was never sealed', async () => {
  const instant = await items()
  await sealBoth()
  const { size } = await sealedState(account.id)
  await change(3)
  await sealNow(account.id)
  const ended = await sealedState(account.id)
  await restore(instant)
  await change(1)
  await begin()
  const file = await exported()
  const first = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '').log_id
  expect((await opened(`${account.id}/changes.2/checkpoint`)).extensions).toEqual([
    `from ${first}`,
    `follows access.example.com/${account.id}/changes ${ended.size} ${ended.root}`,
    'shares 0',
  ])
  expect(await verifyExport(file)).toMatchObject({ seal: { entries: size + 1 }, follows: { shared: 0, last: null } })
})

it("begins with the table's entries if the bucket is another one", async () => {
  await sealBoth()
  const before = await sealedState(account.id)
  rmSync(world.folder, { recursive: true })
  await change(2)
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'absent' })
  await begin()
  const newest = await opened(`${account.id}/changes.2/checkpoint`)
  expect(newest.size).toBe(before.size + 2)
  expect(newest.extensions).toContain(`follows access.example.com/${account.id}/changes ${before.size} ${before.root}`)
  expect(await compareExport(await exported(), before.note)).toContain('which it follows')
})

it('refuses an invalid account, a log leased by another run, and a log with other faults', async () => {
  const refused = async (event: unknown) => (await begin(event)).error?.detail
  expect(await refused({})).toBe('account_id must be a UUID.')
  expect(await refused({ account_id: account.id, log: 'changes' })).toBe(
    'log is not a known field. The only field is account_id.',
  )
  const unknownAccount = crypto.randomUUID()
  expect(await refused({ account_id: unknownAccount })).toBe(`The account ${unknownAccount} does not exist.`)
  const lease = await Lease.take(account.id, 'changes')
  expect(await begin()).toMatchObject({ error: { code: 'unavailable' } })
  await lease?.end()
  await sealBoth()
  const path = `${account.id}/changes/checkpoint`
  const note = world.read(path)
  world.write(path, note.replace(/— (\S+) ..../, '— $1 AAAA'))
  await change(1)
  expect(await refused({ account_id: account.id })).toContain(
    `The log changes failed its verification: checkpoint at ${path}.`,
  )
  world.write(path, note)
  expect(await begin()).toEqual({ data: { changes: null, activity: null, archive: null } })
})
