import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { putFile } from '#shared/archive/put-file.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { FlowFiles } from '#shared/logs/files/flow-files.ts'
import { tailBytes } from '#shared/logs/files/parquet-reader.ts'
import { encodeFile } from '#shared/logs/files/parquet-writer.ts'
import { rowLeaf } from '#shared/seal/log/row-leaf.ts'
import { realisticFlows } from '#test/support/logs/realistic-flows.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'

function inBucket(): void {
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  new MemoryBucket()
}

describe.each([
  ['bucket', inBucket],
  ['folder', () => {}],
])('a file in a %s', (_where, open) => {
  it('that an erasure replaces while it is read is opened again', async () => {
    open()
    const place = { account: randomUUID(), stream: 'flow' as const, hour: 1_795_000_000_000_000, part: 0 }
    const rows = realisticFlows(2_000)
    const { key, bytes, first, last } = await putFile(
      place,
      rows.map((row) => ({ row, leaf: rowLeaf('flow', row) })),
      new Map(),
    )
    expect(bytes).toBeGreaterThan(tailBytes)
    const files = new FlowFiles(place.account)
    const group = { ...place, group: 0, first, last }
    expect(await files.logIds(group)).toHaveLength(rows.length)
    const replaced = rows.map((row, i) => (i < 900 ? { ...row, resource_name: null, inner_src_port: 7 } : row))
    await archiveStore().put(key, encodeFile('flow', replaced), (await archiveStore().get(key))?.tag ?? '')
    const found = await Promise.all([files.rows(group), files.logIds(group)])
    expect(found[0]?.map(({ resource_name }) => resource_name)).toEqual(replaced.map((row) => row.resource_name))
    expect(found[1]).toEqual(rows.map(({ log_id }) => log_id))
    await archiveStore().deleteFolder(key, () => true)
    await expect(files.logIds(group)).rejects.toThrow(`The archive has no file ${key}.`)
  })
})
