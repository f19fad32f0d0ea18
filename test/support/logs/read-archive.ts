import { hash } from 'node:crypto'
import { expect } from 'vitest'
import type { Manifest } from '#shared/archive/manifest.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { hourMicros, microsOf, timestamp } from '#shared/core/clock.ts'
import { manifestKey, readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { readErasedFiles } from '#shared/logs/blocks/erasures.ts'
import { type LogStream, logStreams } from '#shared/logs/entries/log-id.ts'
import type { FileRow } from '#shared/logs/files/columns.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { getItem } from '#shared/table/read.ts'
import { plainRoot } from '../seal/plain-merkle-tree.ts'
import { readRows } from './parquet-files.ts'

/** Row of a file, with the hour in which it was flushed. */
type ArchivedRow = { row: FileRow; id: string; hour: number }
type Archive = { manifests: Manifest[]; contents: string[]; rows: Record<LogStream, ArchivedRow[]> }

const groupRows = 8_192

async function objectsBelow(prefix: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for await (const { path } of archiveStore().list(prefix))
    found.set(path, (await archiveStore().get(path))?.content ?? Buffer.alloc(0))
  return found
}

const base64 = (bytes: Buffer) => bytes.toString('base64')

/** Reads the rows of a file, and expects the properties that the manifest states. */
async function expectFile(
  file: Manifest['files'][number],
  content: Buffer | undefined,
  isRewritten: boolean,
): Promise<FileRow[]> {
  const found = [file.key, content?.length, content && hash('sha256', content)]
  if (!isRewritten) expect([file.key, file.bytes, file.sha256]).toEqual(found)
  const rows = await readRows(content as Buffer)
  const ids = rows.map(({ log_id }) => String(log_id))
  expect([file.rows, file.first, file.last]).toEqual([ids.length, ids[0], ids.at(-1)])
  expect(ids).toEqual([...new Set(ids)].sort())
  const leaves = rows.map((row) =>
    row.erased_leaf
      ? Buffer.from(String(row.erased_leaf), 'base64')
      : leafHash(canonicalJson(rowEntry(file.stream, row))),
  )
  expect(file.root).toBe(base64(plainRoot(leaves)))
  const groups: string[] = []
  for (let at = 0; at < leaves.length; at += groupRows) groups.push(base64(plainRoot(leaves.slice(at, at + groupRows))))
  expect(file.groups).toEqual(groups)
  return rows
}

/** Reads an account's archive. Expects a chain of manifests, files as the manifests state, no other files, and no row twice. */
export async function readArchiveOf(account: string): Promise<Archive> {
  const stored = await objectsBelow(`v1/manifest/account=${account}/`)
  const files = new Map<string, Buffer>()
  for (const stream of logStreams)
    for (const [path, content] of await objectsBelow(`v1/${stream}/account=${account}/`)) files.set(path, content)
  const rewritten = new Set((await readErasedFiles(account)).map(({ key }) => key))
  const archive: Archive = { manifests: [], contents: [], rows: { change: [], session: [], flow: [], api_request: [] } }
  const listed: string[] = []
  const totals: Partial<Record<LogStream, { rows: number; bytes: number }>> = {}
  let previous: string | null = null
  for (const [number, [path, content]] of [...stored].entries()) {
    const manifest: Manifest = JSON.parse(content.toString())
    expect(content.toString()).toBe(canonicalJson(manifest))
    const until = microsOf(manifest.until)
    const hour = until - hourMicros
    const from: string = archive.manifests.at(-1)?.until ?? manifest.from
    expect(manifest).toMatchObject({ type: 'archive', version: 1, account_id: account, number, previous, from })
    const [day = '', time = ''] = timestamp(hour).split('T')
    const named = `${day.replaceAll('-', '')}T${time.slice(0, 2)}`
    expect([path, manifest.files.length + manifest.erasures.length > 0]).toEqual([
      `v1/manifest/account=${account}/day=${day}/${named}.json`,
      true,
    ])
    for (const file of manifest.files) {
      expect(file.key).toContain(`v1/${file.stream}/account=${account}/day=${day}/${file.stream}-${named}-`)
      const rows = await expectFile(file, files.get(file.key), rewritten.has(file.key))
      for (const row of rows) archive.rows[file.stream].push({ row, id: String(row.log_id), hour })
      const before = totals[file.stream] ?? { rows: 0, bytes: 0 }
      totals[file.stream] = { rows: before.rows + file.rows, bytes: before.bytes + file.bytes }
      listed.push(file.key)
    }
    previous = base64(leafHash(content))
    expect(await getItem(manifestKey(account, number))).toMatchObject({ hash: previous, hour })
    archive.manifests.push(manifest)
    archive.contents.push(content.toString())
  }
  expect(listed.sort()).toEqual([...files.keys()].sort())
  for (const rows of Object.values(archive.rows)) expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  const state = await readArchiveState(account)
  if (state) expect(state).toMatchObject({ manifests: archive.manifests.length, previous, totals })
  return archive
}
