import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import type { LastGoodRun } from '../../domain/sync/sync-state.ts'
import type { DirectoryAdapter, ProviderPage } from '../adapter.ts'
import { ChunkCutter, type Chunks, completeSnapshot, openChunks, reuseLastSnapshot } from '../read/chunks.ts'
import { eachPage } from '../read/read-list.ts'
import { newReading, type Reading } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { readMembers } from './read-members.ts'
import {
  type DirectMembers,
  readDirectMembers,
  type SnapshotGroup,
  type SnapshotRoot,
  type SnapshotUser,
  snapshotBounds,
  tooMany,
  toSnapshotGroup,
  toSnapshotUser,
} from './snapshot.ts'

/** Average numbers of entries per chunk. The members of all groups in a chunk are read as a unit. */
const usersPerChunk = 512
const groupsPerChunk = 64

async function readLastSnapshot(chunks: Chunks, digest: string) {
  const { users, groups, members } = await chunks.root<SnapshotRoot>(digest)
  const direct = await readDirectMembers(chunks, members)
  const memberDigests = [...direct.values()].flatMap((group) => group.users)
  return { direct, digests: [...users, ...groups, ...members, ...memberDigests] }
}

/**
 * Reads all lists, starting from the saved position, and completes the snapshot (I4.1(3)).
 * @throws ProviderFault
 */
export async function readDirectory(work: RunWork, adapter: DirectoryAdapter, last: LastGoodRun | undefined) {
  const { run } = work
  const chunks = openChunks(work)
  const before = await reuseLastSnapshot(work, chunks, last, (digest) => readLastSnapshot(chunks, digest))
  run.reading ??= newReading('users', { users: [], groups: [], members: [] })
  const { reading } = run

  if (reading.list === 'users') {
    await readList(work, 'users', usersPerChunk, chunks, (position) => adapter.users(position), toSnapshotUser)
    Object.assign(reading, { list: 'groups', position: null, restarts: 0 })
  }
  if (reading.list === 'groups') {
    await readList(work, 'groups', groupsPerChunk, chunks, (position) => adapter.groups(position), toSnapshotGroup)
    Object.assign(reading, { list: 'members', position: null, restarts: 0 })
  }
  const isPartial = last && before && microsOf(last.whole_at) >= clock.now() - dayMicros
  if (isPartial) run.whole_at = last.whole_at
  await readMembers(work, chunks, adapter, isPartial ? before.direct : new Map<string, DirectMembers>())
  const { users = [], groups = [], members = [] } = reading.chunks
  await completeSnapshot(run, chunks, { users, groups, members } satisfies SnapshotRoot)
}

type Entry = SnapshotUser | SnapshotGroup

async function readList<T>(
  work: RunWork,
  list: 'users' | 'groups',
  perChunk: number,
  chunks: Chunks,
  read: (position: string | null) => Promise<ProviderPage<T>>,
  entryOf: (entry: T) => Entry,
): Promise<void> {
  const { run } = work
  const reading = run.reading as Reading
  const digests = reading.chunks[list] ?? []
  let cutter = new ChunkCutter<Entry>(perChunk)
  const flushChunk = async (next: string | null) => {
    digests.push(...(await chunks.put(cutter.flush())))
    reading.position = next
    await work.save()
  }
  const restart = () => {
    cutter = new ChunkCutter(perChunk)
    digests.length = 0
    run.seen[list] = 0
  }
  const advance = async (next: string) => {
    if (work.isOver) await flushChunk(next)
    await work.checkpoint()
  }
  const pages = eachPage(work, list, reading.position, read, { restart, pause: flushChunk, advance })
  for await (const { page, position } of pages) {
    // Advances the saved position only between chunks. After a crash, the next step reads the entries of an unfinished chunk again.
    if (cutter.isEmpty) reading.position = position
    // Stores unusable entries in the snapshot instead of counting them, because a page may be read twice. Planning counts them.
    const skipped = page.skipped.map(({ idp_id, name, reason }) => ({ idp_id, name, unusable: reason }))
    for (const entry of [...skipped, ...page.entries.map(entryOf)]) {
      if (!('unusable' in entry)) run.seen[list] = (run.seen[list] ?? 0) + 1
      const chunk = cutter.add(entry)
      if (!chunk) continue
      digests.push(...(await chunks.put(chunk)))
      reading.position = position
    }
    if (list === 'users' && (run.seen.users ?? 0) > snapshotBounds.users) throw tooMany('users')
  }
  digests.push(...(await chunks.put(cutter.flush())))
  if (work.isSaveDue) await work.save()
}
