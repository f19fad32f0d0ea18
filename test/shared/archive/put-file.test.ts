import { hash, randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveMismatch } from '#shared/archive/archive-mismatch.ts'
import { type ArchivedRow, putFile, readColumns } from '#shared/archive/put-file.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { logFilePath } from '#shared/logs/files/file-index.ts'
import { rowLeaf } from '#shared/seal/log/row-leaf.ts'
import { realisticFlows } from '#test/support/logs/realistic-flows.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'

const archivedRows = (count: number): ArchivedRow[] =>
  realisticFlows(count).map((row) => ({ row, leaf: rowLeaf('flow', row) }))
const newFile = () => ({ account: randomUUID(), stream: 'flow' as const, hour: 1_795_000_000_000_000, part: 0 })

/** Returns a file with the same rows and other bytes: unused bytes precede the metadata. */
function withUnusedBytes(content: Buffer): Buffer {
  const footer = content.length - 8 - content.readUInt32LE(content.length - 8)
  return Buffer.concat([content.subarray(0, footer), Buffer.from('unused'), content.subarray(footer)])
}

describe('a file that an interrupted run has put (R4.4)', () => {
  it('is adopted if it has the same rows, also with other bytes', async () => {
    const [file, rows] = [newFile(), archivedRows(20)]
    const first = await putFile(file, rows, new Map())
    expect(await putFile(file, rows, new Map())).toEqual(first)
    const key = logFilePath(file)
    const stored = await archiveStore().get(key)
    const other = withUnusedBytes(stored?.content ?? Buffer.alloc(8))
    await archiveStore().put(key, other, stored?.tag ?? '')
    const adopted = await putFile(file, rows, new Map())
    expect(adopted).toEqual({ ...first, bytes: other.length, sha256: hash('sha256', other) })
    expect((await archiveStore().get(key))?.content).toEqual(other)
    expect((await readColumns(adopted, ['log_id'])).map(({ log_id }) => log_id)).toEqual(
      rows.map(({ row }) => row.log_id),
    )
  })

  it('is a mismatch if it has other rows, or if it is damaged', async () => {
    const rows = archivedRows(20)
    const changed = rows.map(({ row }, i) => {
      const other = i === 7 ? { ...row, rx_bytes: 1n } : row
      return { row: other, leaf: rowLeaf('flow', other) }
    })
    for (const others of [rows.slice(1), rows.slice(0, -1), changed]) {
      const file = newFile()
      await putFile(file, others, new Map())
      await expect(putFile(file, rows, new Map())).rejects.toEqual(new ArchiveMismatch(logFilePath(file)))
    }
    for (const damage of ['', 'damaged', 'PAR1PAR1']) {
      const file = newFile()
      await archiveStore().put(logFilePath(file), damage, null)
      await expect(putFile(file, rows, new Map())).rejects.toEqual(new ArchiveMismatch(logFilePath(file)))
    }
  })
})

it('cannot be read if its rows differ from those of the manifest', async () => {
  const file = await putFile(newFile(), archivedRows(3), new Map())
  await expect(readColumns({ ...file, sha256: '', root: '' }, ['log_id'])).rejects.toEqual(
    new ArchiveMismatch(file.key),
  )
  await expect(readColumns({ ...file, key: `${file.key}.other` }, ['log_id'])).rejects.toEqual(
    new ArchiveMismatch(`${file.key}.other`),
  )
})

it('fails, and is not a mismatch, while a concurrent put cannot be read yet', async () => {
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  const bucket = new MemoryBucket()
  bucket.nextResponse = () => {
    bucket.objects.clear()
    return new Response('', { status: 409 })
  }
  const fault = await putFile(newFile(), archivedRows(3), new Map()).catch((error: unknown) => error)
  expect(fault).not.toBeInstanceOf(ArchiveMismatch)
  expect(fault).toMatchObject({ message: expect.stringContaining('was written concurrently') })
  bucket.nextResponse = null
  expect(await putFile(newFile(), archivedRows(3), new Map())).toMatchObject({ rows: 3 })
})
