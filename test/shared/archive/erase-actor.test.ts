import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as getArchive } from '#functions/api/logs/get-archive.ts'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as eraseActor } from '#functions/tasks/erase-actor.ts'
import { handler as verifyArchive } from '#functions/tasks/verify-archive.ts'
import { ArchiveLease } from '#shared/archive/archive-lease.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import { env } from '#shared/core/env.ts'
import { archiveStateKey } from '#shared/logs/blocks/archive-view.ts'
import { manifestPath } from '#shared/logs/files/file-index.ts'
import { encodeFile } from '#shared/logs/files/parquet-writer.ts'
import { type RefusalRow, recordRefusal, refusalsPartition } from '#shared/logs/refusals/refusals.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { readArchiveStatus } from '#shared/seal/archive-status.ts'
import { changeItem } from '#shared/table/change-item.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { interceptWrites, killAt } from '#test/support/logs/archive-writes.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { readRows } from '#test/support/logs/parquet-files.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow, sealWorld } from '#test/support/seal/sealing.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const dueAt = (hour: number) => day + hour * hourMicros + hourMicros + 15 * minute

let folder: string
beforeEach(() => {
  sealWorld()
  folder = mkdtempSync(join(tmpdir(), 'erase-test-'))
  vi.stubEnv('ARCHIVE_FOLDER', folder)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function useBucket(): MemoryBucket {
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  return new MemoryBucket()
}

type Answer = { data?: Record<string, unknown>; error?: { code: string; detail: string } }

/** Creates an account with the flows of two actors, of which each closes two flows in the first hour. */
async function newArchive() {
  const account = await newAccount()
  const erased = await newFlowAccount(account.id)
  const kept = await newFlowAccount(account.id)
  const report = (at: number, port: number, end: number | null = at + 1) =>
    flowReport(day + at * minute, { end: end && day + end * minute, inner_src_port: port })
  const reports = [report(1, 1), report(2, 2)]
  for (const flows of [erased, kept]) await flows.store(day + 5 * minute, ...reports)
  await erased.flush(dueAt(0))
  const actor = erased.claims.initiator_actor_id
  const erase = async (event: object = {}): Promise<Answer> =>
    (await eraseActor({ account_id: account.id, actor_id: actor, ...event })) as Answer
  const seal = () => sealNow(account.id, 'archive')
  const verify = async () => {
    const { data } = (await verifyArchive({ account_id: account.id })) as { data: { findings: object[] } }
    return data.findings
  }
  const window = { begin: timestamp(day), end: timestamp(day + 6 * hourMicros) }
  const call = (...[handler, request]: Parameters<typeof account.call>) => {
    setClock(day + 72 * hourMicros)
    return account.call(handler, { method: 'GET', ...request })
  }
  const list = async () => {
    const { body } = await call(listLogs, { query: { type: 'flow', ...window } })
    return (body.data as { log_id: string }[]).map(({ log_id }) => log_id).sort()
  }
  const top = async (search = '') =>
    (await readTopValues(account.id, new URLSearchParams(`${new URLSearchParams(window)}${search}`))).data.values
  const keptIds = reports.map(kept.idOf).sort()
  const erasedIds = reports.map(erased.idOf).sort()
  return { account, actor, erased, kept, keptIds, erasedIds, report, erase, seal, verify, window, call, list, top }
}

type Archive = Awaited<ReturnType<typeof newArchive>>

async function onlyFile(account: string) {
  const [file] = await Array.fromAsync(archiveStore().list(`v1/flow/account=${account}/`))
  const path = file?.path ?? ''
  return { path, content: (await archiveStore().get(path))?.content ?? '' }
}

/** Returns the number of rows of each erasure, as `GET /logs/archive`. */
const erasedCounts = async (account: string) => (await readArchiveStatus(account)).data.erasures.map(({ rows }) => rows)

const erasedRows = async ({ account }: Archive) =>
  (await readArchiveOf(account.id)).rows.flow.filter(({ row }) => row.erased_at !== null).map(({ id }) => id)

describe('the erasure of an actor', () => {
  it('erases its rows, which readers omit, and a sealed manifest lists the file', async () => {
    const archive = await newArchive()
    const { account, actor, erased, keptIds, erasedIds, erase, seal, verify, call, list } = archive
    expect(await list()).toEqual([...keptIds, ...erasedIds].sort())
    const [before] = (await readArchiveOf(account.id)).manifests
    await seal()
    setClock(dueAt(0) + minute)
    const { data } = await erase()
    expect(data).toMatchObject({ files: 1, rows: 2, damaged: [], next: null, erased_at: timestamp(dueAt(0) + minute) })
    expect(await list()).toEqual(keptIds)
    const [id = ''] = erasedIds
    const unknown = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    for (const handler of [getLog, getProof]) {
      const answers = [id, unknown].map((log_id) => call(handler, { params: { log_id } }))
      const [found, absent] = (await Promise.all(answers)).map(({ status, body }) => [status, body.code, body.detail])
      expect(found).toEqual(absent)
      expect((await call(handler, { params: { log_id: keptIds[0] ?? '' } })).status).toBe(200)
    }
    const { key = '', root } = before?.files[0] ?? {}
    expect(await verify()).toEqual([{ account_id: account.id, at: key, problem: 'erased' }])

    await erased.flush(dueAt(1))
    expect(await verify()).toMatchObject([{ problem: 'erased' }])
    await seal()
    expect(await verify()).toEqual([])
    const { manifests } = await readArchiveOf(account.id)
    expect(manifests[0]).toEqual(before)
    expect(manifests[1]).toMatchObject({ files: [], erasures: [{ key, rows: 2 }] })
    expect(await erasedRows(archive)).toEqual(erasedIds)
    expect(root).toEqual(manifests[0]?.files[0]?.root)
    const { id: erasure, erased_at } = data ?? {}
    expect((await call(getArchive)).body.data).toMatchObject({
      manifests: 2,
      erasures: [{ id: erasure, actor_id: actor, erased_at, rows: 2 }],
    })
    expect(JSON.stringify(manifests)).not.toContain(actor)
  })

  it('deletes the refused authorizations of the actor (K11.G9)', async () => {
    const { account, actor, erase } = await newArchive()
    const circumstances = { resource_id: null, violated: [], ip: '192.0.2.1', ip_region: null }
    for (const actor_id of [actor, randomUUID()]) {
      const refusal = { actor_id, client_id: randomUUID(), reason: 'unknown_resource' as const, ...circumstances }
      await recordRefusal(account.id, refusal, clock.now())
    }
    expect((await erase()).data).toBeDefined()
    const rows = await queryItems<RefusalRow>(refusalsPartition(account.id))
    expect([rows.length, rows.some(({ actor_id }) => actor_id === actor)]).toEqual([1, false])
  })

  it('can be repeated, and hides repeated reports of erased flows', async () => {
    const archive = await newArchive()
    const { account, erased, keptIds, report, erase, list } = archive
    const { data } = await erase()
    const content = await readArchiveOf(account.id).then(({ rows }) => rows)
    expect((await erase()).data).toEqual({ ...data, files: 0, rows: 0 })
    expect(await readArchiveOf(account.id).then(({ rows }) => rows)).toEqual(content)
    await erased.store(day + 65 * minute, report(1, 1))
    expect(await list()).toEqual(keptIds)
    await erased.flush(dueAt(1))
    await erased.flush(dueAt(2))
    expect((await readArchiveOf(account.id)).manifests).toHaveLength(2)
    expect(await list()).toEqual(keptIds)
  })

  it('moves the counters of the actor to a null value', async () => {
    const { account, actor, kept, erase, window, top } = await newArchive()
    const other = kept.claims.initiator_actor_id
    const totals = { flows: 2, rx_bytes: 6n, tx_bytes: 8n }
    const values = [actor, other].sort().map((value) => ({ value, ...totals }))
    expect(await top()).toEqual(values)
    expect((await erase()).error).toBeUndefined()
    expect(await top()).toEqual([
      { value: null, ...totals },
      { value: other, ...totals },
    ])
    expect(await top(`&by=port&actor_id=${actor}`)).toEqual([])
    const { data } = await readHistogram(account.id, new URLSearchParams(window))
    expect(data.hours[0]).toMatchObject({ flows: 4 })
  })

  it('includes the rows of later flushes, and leaves flows readable until then', async () => {
    const archive = await newArchive()
    const { account, erased, kept, keptIds, erasedIds, report, erase, seal, verify, list } = archive
    const open = [erased, kept].map((flows) => flows.idOf(report(10, 9)))
    await erased.store(day + 11 * minute, report(10, 9, null))
    await erase()
    for (const flows of [erased, kept]) await flows.store(day + 70 * minute, report(10, 9, 70))
    expect(await list()).toEqual([...keptIds, ...open].sort())
    await erased.flush(dueAt(1))
    expect(await list()).toEqual([...keptIds, open[1] as string].sort())
    expect(await erasedRows(archive)).toEqual([...erasedIds, open[0] as string])
    const { manifests } = await readArchiveOf(account.id)
    const [first, second] = manifests.map(({ files }) => files[0]?.key)
    expect(manifests[1]?.erasures).toMatchObject([
      { key: first, rows: 2 },
      { key: second, rows: 1, sha256: manifests[1]?.files[0]?.sha256 },
    ])
    await seal()
    expect(await verify()).toEqual([])
  })

  it('of several actors lists the last hash of a file, and a returned original is found', async () => {
    const archive = await newArchive()
    const { account, kept, erase, erased, seal, verify } = archive
    const { key = '' } = (await readArchiveOf(account.id)).manifests[0]?.files[0] ?? {}
    const original = (await archiveStore().get(key))?.content ?? ''
    const answers = [await erase(), await erase({ actor_id: kept.claims.initiator_actor_id })]
    expect(answers).toMatchObject([{ data: { rows: 2 } }, { data: { rows: 2 } }])
    await erased.flush(dueAt(1))
    await seal()
    expect(await verify()).toEqual([])
    expect((await erasedRows(archive)).length).toBe(4)
    await archiveStore().put(key, original, (await archiveStore().get(key))?.tag ?? '')
    expect(await verify()).toEqual([{ account_id: account.id, at: key, problem: 'erased' }])
  })

  it('returns where to continue, and ends after the last file', async () => {
    const { erased, erase, report, account, actor } = await newArchive()
    await erased.store(day + 65 * minute, report(64, 5))
    await erased.flush(dueAt(1))
    const context = { getRemainingTimeInMillis: () => 0 }
    const counts: unknown[] = []
    let next: unknown = null
    do {
      const event = { account_id: account.id, actor_id: actor, next }
      const { data = {} } = (await eraseActor(event, context)) as Answer
      counts.push(data.rows)
      next = data.next
    } while (next !== null)
    expect(counts).toEqual([2, 1, 0])
    expect((await erase()).data).toMatchObject({ rows: 0 })
  })

  it('reports a damaged file, and erases all others', async () => {
    const { account, erased, erase, report } = await newArchive()
    await erased.store(day + 65 * minute, report(64, 5))
    await erased.flush(dueAt(1))
    const { key = '' } = (await readArchiveOf(account.id)).manifests[0]?.files[0] ?? {}
    await archiveStore().put(key, 'damaged', (await archiveStore().get(key))?.tag ?? '')
    expect((await erase()).data).toMatchObject({ files: 1, rows: 1, damaged: [key] })
  })

  it('changes no file whose rows differ from those of its manifest', async () => {
    const bucket = useBucket()
    const { account, erase } = await newArchive()
    const { key = '' } = (await readArchiveOf(account.id)).manifests[0]?.files[0] ?? {}
    const original = await archiveStore().get(key)
    const rows = await readRows(original?.content ?? Buffer.alloc(0))
    const forged = encodeFile(
      'flow',
      rows.map((row) => ({ ...row, rx_bytes: 0n })),
    )
    await archiveStore().put(key, forged, original?.tag ?? '')
    expect((await erase()).data).toMatchObject({ files: 0, rows: 0, damaged: [key] })
    expect(bucket.objects.get(key)).toEqual(forged)
    expect(bucket.versions).toEqual([key])
    bucket.objects.set(key, original?.content ?? Buffer.alloc(0))
    expect((await erase()).data).toMatchObject({ files: 1, rows: 2, damaged: [] })
  })

  it('deletes a file whose retention has ended, which is then neither missing nor unknown', async () => {
    const { account, erase, verify, seal } = await newArchive()
    await seal()
    const { key = '' } = (await readArchiveOf(account.id)).manifests[0]?.files[0] ?? {}
    const content = (await archiveStore().get(key))?.content ?? ''
    const end = day + (env.archiveRetentionDays + 1) * dayMicros
    setClock(end - 1)
    await archiveStore().deleteFolder(key, () => true)
    expect(await verify()).toMatchObject([{ at: key, problem: 'missing' }])
    setClock(end)
    expect(await verify()).toEqual([])
    await archiveStore().put(key, content, null)
    expect((await erase()).data).toMatchObject({ files: 1, rows: 2, damaged: [] })
    expect(await archiveStore().get(key)).toBeNull()
    await archiveStore().put(key, content, null)
    await archiveStore().deleteFolder(`v1/manifest/account=${account.id}/`, () => true)
    expect((await verify()).filter((finding) => Object(finding).problem === 'unknown')).toEqual([])
    setClock(end - 1)
    expect(await verify()).toContainEqual({ account_id: account.id, at: key, problem: 'unknown' })
  })

  it('leaves a file that was rewritten before its retention ended', async () => {
    const { account, erase } = await newArchive()
    await erase()
    const { path, content } = await onlyFile(account.id)
    setClock(day + (env.archiveRetentionDays + 1) * dayMicros)
    await archiveStore().deleteFolder(`v1/manifest/account=${account.id}/`, () => true)
    expect((await erase()).data).toMatchObject({ files: 0, rows: 0, damaged: [] })
    expect(await onlyFile(account.id)).toEqual({ path, content })
  })

  it('is refused during a flush or another erasure', async () => {
    const { account, erased, erase } = await newArchive()
    const lease = new ArchiveLease(account.id)
    expect(await lease.take((await erased.state())?.watermark)).toBe(true)
    expect((await erase()).error).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('retry') })
    await lease.end(undefined)
    const answers = await Promise.all([erase(), erase()])
    for (const { error } of answers) if (error) expect(error.code).toBe('unavailable')
    expect(answers.filter(({ data }) => data?.rows === 2)).toHaveLength(1)
  })

  it('includes the changes and requests of an administrator, also in the hour after it', async () => {
    const { account } = await newSealedAccount()
    const flush = async () => {
      for (const name of [randomUUID(), randomUUID()])
        await account.call(createGroup, { method: 'POST', body: { group: { name } } })
      await writeChangeLogOf(account.id)
      advanceMinutes(80)
      for (const log of ['changes', 'activity'] as const) await sealNow(account.id, log)
      await flushAccount(account.id, Number.POSITIVE_INFINITY)
      await sealNow(account.id, 'archive')
      return (await readArchiveOf(account.id)).rows
    }
    const before = await flush()
    const actor = before.api_request[0]?.row.actor_id
    const { data } = (await eraseActor({ account_id: account.id, actor_id: actor })) as Answer
    expect(data).toMatchObject({ files: 2, damaged: [] })
    const after = await flush()
    expect(after.api_request.length).toBeGreaterThan(before.api_request.length)
    expect(after.api_request.filter(({ row }) => row.erased_at === null)).toEqual([])
    for (const { row } of after.change) expect(JSON.stringify({ ...row, leaf: null })).not.toContain(actor)
    expect(after.change.filter(({ row }) => row.erased_at === null).length).toBeGreaterThan(0)
    expect(after.change.filter(({ row }) => row.erased_at !== null && row.object === 'groups')).toHaveLength(4)
    expect(await verifyArchive({ account_id: account.id })).toMatchObject({ data: { findings: [], unsealed: 0 } })
  })

  it('begins before the first flush', async () => {
    const account = await newAccount()
    const flows = await newFlowAccount(account.id)
    await flows.store(day + minute, flowReport(day, { end: day + 1 }))
    const event = { account_id: account.id, actor_id: flows.claims.initiator_actor_id.toUpperCase() }
    expect(await eraseActor(event)).toMatchObject({ data: { files: 0, rows: 0, next: null } })
    await flows.flush(dueAt(0))
    const { manifests, rows } = await readArchiveOf(account.id)
    expect(rows.flow.map(({ row }) => row.initiator_actor_id)).toEqual([null])
    expect(manifests[0]?.erasures).toMatchObject([{ rows: 1 }])
  })

  it('deletes older versions in a bucket, also after a lost response', async () => {
    const bucket = useBucket()
    const { erase, erased } = await newArchive()
    bucket.nextResponse = () => {
      bucket.nextResponse = null
      return new Response('', { status: 503 })
    }
    expect((await erase()).data).toMatchObject({ rows: 2 })
    expect([...bucket.objects.keys()].filter((key) => key.endsWith('.parquet'))).toHaveLength(1)
    expect(bucket.versions).toEqual([])
    await erased.flush(dueAt(1))
  })
})

describe('an interrupted run', () => {
  it('of an erasure or a flush ends with the same rows, counters and verified files', async () => {
    const ownTable = await useOwnTable()
    try {
      const archive = await newArchive()
      const { account, erased, kept, erase, report, seal, verify } = archive
      for (const flows of [erased, kept]) await flows.store(day + 65 * minute, report(64, 5))
      const before = await ownTable.items(account.id)
      const { path, content } = await onlyFile(account.id)
      const manifest = (await archiveStore().get(manifestPath(account.id, day)))?.content ?? ''
      const run = async (wait: number) => {
        setClock(dueAt(0) + minute + wait)
        const { data } = await erase()
        await erased.flush(dueAt(1) + wait)
        return data
      }
      const result = async () => ({
        rows: (await readArchiveOf(account.id)).rows.flow.map(({ id, row }) => [id, row.initiator_actor_id]),
        top: await archive.top(),
        counted: await erasedCounts(account.id),
      })
      await run(0)
      const expected = await result()
      expect(expected.counted).toEqual([3])
      let index = 0
      for (let reached = true; reached; index++) {
        for (const stream of ['flow', 'manifest'])
          await archiveStore().deleteFolder(`v1/${stream}/account=${account.id}/`, () => true)
        await archiveStore().put(path, content, null)
        await archiveStore().put(manifestPath(account.id, day), manifest, null)
        await ownTable.restore(account.id, before)
        sealWorld()
        const killed = killAt(index, index % 2 === 0)
        await run(0).catch(() => undefined)
        killed.restore()
        reached = killed.reached
        const wait = 85 * minute
        expect(await run(wait), `write ${index}`).toMatchObject({ damaged: [], next: null })
        expect(await result(), `write ${index}`).toEqual(expected)
        await seal()
        expect(await verify(), `write ${index}`).toEqual([])
      }
      expect(index).toBeGreaterThan(10)
    } finally {
      await ownTable.end()
    }
  })

  it('of a flush before the erasure leaves no row that the erasure misses', async () => {
    for (const index of [1, 3, 5, 8, 11]) {
      sealWorld()
      const archive = await newArchive()
      const { account, erased, kept, erase, report, seal, verify } = archive
      for (const flows of [erased, kept]) await flows.store(day + 65 * minute, report(64, 5))
      const killed = killAt(index, false)
      await erased.flush(dueAt(1)).catch(() => undefined)
      killed.restore()
      setClock(dueAt(1) + 21 * minute)
      expect((await erase()).data, `write ${index}`).toMatchObject({ damaged: [] })
      for (const hour of [1, 2]) await erased.flush(dueAt(hour) + 22 * minute)
      expect((await erasedRows(archive)).length, `write ${index}`).toBe(3)
      await seal()
      expect(await verify(), `write ${index}`).toEqual([])
      expect((await archive.top()).map(({ value, flows }) => [value, flows])).toEqual([
        [null, 3],
        [kept.claims.initiator_actor_id, 3],
      ])
      expect(await erasedCounts(account.id)).toEqual([3])
    }
  })

  it('before a restore of the table is listed after a repetition', async () => {
    const ownTable = await useOwnTable()
    try {
      const archive = await newArchive()
      const { account, erased, erase, seal, verify } = archive
      const before = await ownTable.items(account.id)
      expect((await erase()).data).toMatchObject({ rows: 2 })
      await ownTable.restore(account.id, before)
      sealWorld()
      setClock(dueAt(0) + 30 * minute)
      expect((await erase()).data).toMatchObject({ files: 0, rows: 0, damaged: [] })
      expect(await erasedCounts(account.id)).toEqual([0])
      await erased.flush(dueAt(1))
      await seal()
      expect(await verify()).toEqual([])
      expect(await erasedRows(archive)).toEqual(archive.erasedIds)
    } finally {
      await ownTable.end()
    }
  })

  it('is repaired by the erasure of another actor of the same file', async () => {
    const { account, kept, erase, erased, seal, verify } = await newArchive()
    const killed = killAt(4, false)
    expect((await erase()).error).toBeDefined()
    killed.restore()
    setClock(dueAt(0) + 22 * minute)
    expect((await erase({ actor_id: kept.claims.initiator_actor_id })).data).toMatchObject({ rows: 2 })
    await erased.flush(dueAt(1))
    expect((await erase()).data).toMatchObject({ files: 0, rows: 0 })
    expect(await erasedCounts(account.id)).toEqual([2, 2])
    await seal()
    expect(await verify()).toEqual([])
  })

  it('of a flush leaves files that are rewritten before its repetition for the next manifest', async () => {
    const archive = await newArchive()
    const { account, erase, erased, kept, report, seal, verify } = archive
    for (const flows of [erased, kept]) await flows.store(day + 65 * minute, report(64, 5))
    for (const flows of [erased, kept]) await flows.flush(dueAt(1))
    const files = async (number: number) =>
      (await readArchiveOf(account.id)).manifests[number]?.erasures.map(({ key, rows }) => [key.slice(-13, -10), rows])
    expect((await erase()).data).toMatchObject({ files: 2 })
    const restore = interceptWrites(async (send) => {
      const response = await send()
      if (await archiveStore().get(manifestPath(account.id, day + 2 * hourMicros))) throw new Error('killed')
      return response
    })
    await erased.flush(dueAt(2)).catch(() => undefined)
    restore()
    setClock(dueAt(2) + 22 * minute)
    expect((await erase({ actor_id: kept.claims.initiator_actor_id })).data).toMatchObject({ files: 2, rows: 3 })
    for (const hour of [2, 3, 4]) await erased.flush(dueAt(hour) + 23 * minute)
    expect((await readArchiveOf(account.id)).manifests).toHaveLength(4)
    expect(await files(2)).toEqual([
      ['T00', 2],
      ['T01', 1],
    ])
    expect(await files(3)).toEqual([
      ['T00', 4],
      ['T01', 2],
    ])
    await seal()
    expect(await verify()).toEqual([])
  })

  it('of which another takes over changes nothing twice', async () => {
    // The lease of the first run expires before it stores the rewritten file, or the item of the file.
    for (const [index, rows] of [
      [3, 2],
      [4, 0],
    ]) {
      const { account, erase, erased, seal, verify } = await newArchive()
      let writes = 0
      const restore = interceptWrites(async (send) => {
        if (writes++ === index) {
          await changeItem(archiveStateKey(account.id), { set: { lease_until: 0 } })
          expect((await erase()).data).toMatchObject({ rows })
        }
        return send()
      })
      expect((await erase()).error).toBeDefined()
      restore()
      await erased.flush(dueAt(1))
      await seal()
      expect(await verify()).toEqual([])
    }
  })
})

it.each<[object, string, unknown]>([
  [{ account_id: 'x', actor_id: randomUUID() }, 'bad_request', 'account_id must be a UUID.'],
  [{ actor_id: randomUUID() }, 'bad_request', 'account_id must be a UUID.'],
  [{ account_id: randomUUID() }, 'bad_request', 'actor_id must be a UUID.'],
  [{ account_id: randomUUID(), actor_id: 7 }, 'bad_request', 'actor_id must be a UUID.'],
  [{ account_id: randomUUID(), actor_id: randomUUID(), next: 7 }, 'bad_request', expect.stringContaining('next: ')],
  [{ account_id: randomUUID(), actor: 'x' }, 'bad_request', expect.stringContaining('actor: ')],
  [{ account_id: randomUUID(), actor_id: randomUUID() }, 'not_found', expect.stringContaining('does not exist')],
])('refuses the event %j', async (event, code, detail) => {
  expect(await eraseActor(event)).toMatchObject({ error: { code, detail } })
})
