import { clock, dayMicros, microsOf } from '../../../core/clock.ts'
import type { LastGoodRun } from '../../../domain/sync/last-good-run.ts'
import type { DirectoryAdapter } from '../../directory-adapter.ts'
import type { Page } from '../../page.ts'
import { askProvider } from '../../read/ask-provider.ts'
import { countBarren } from '../../read/barren-pages.ts'
import { ChunkCutter, type Chunks } from '../../read/chunks.ts'
import { restartList } from '../../read/restart-list.ts'
import { chunksOf, isReusable } from '../../read/source-chunks.ts'
import type { Reading } from '../../runs/run.ts'
import type { RunWork } from '../../runs/run-work.ts'
import { StepOver } from '../../runs/step-end.ts'
import { bounds, tooMany } from './bounds.ts'
import { MembersReader } from './read-members.ts'
import { type DirectMembers, readDirectMembers, readRoot, type SnapshotGroup, type SnapshotUser } from './snapshot.ts'
import { snapshotGroup, snapshotUser } from './snapshot-entries.ts'

/** Chunks of about so many entries. The members of a chunk of groups are read between two places that are kept. */
const usersPerChunk = 512
const groupsPerChunk = 64

const firstReading = (): Reading => ({
  list: 'users',
  position: null,
  restarts: 0,
  chunks: { users: [], groups: [], members: [] },
  next: 0,
  scratch: null,
})

/** What the last good snapshot has that need not be written, or read, again. */
async function lastSnapshot(work: RunWork, chunks: Chunks, last: LastGoodRun | undefined) {
  const { run } = work
  if (!last || !isReusable(last)) return null
  try {
    const root = await readRoot(chunks, last.root)
    const direct = await readDirectMembers(chunks, root.members)
    chunks.keep([last.root, ...root.users, ...root.groups, ...root.members])
    for (const { users } of direct.values()) chunks.keep(users)
    run.staged_at = last.staged_at
    return { direct, wholeAt: last.whole_at }
  } catch {
    // It is only of use; without it everything is read and written.
    return null
  }
}

/**
 * Reads all lists of a directory into chunks, and seals the snapshot when each has ended (I4.1(3)). Nothing of the account
 * changes. It goes on where an earlier step has kept its place.
 * @throws ProviderFault when the run cannot go on
 */
export async function readDirectory(
  work: RunWork,
  adapter: DirectoryAdapter,
  last: LastGoodRun | undefined,
): Promise<void> {
  const { run } = work
  const chunks = chunksOf(work)
  const before = await lastSnapshot(work, chunks, last)
  run.reading ??= firstReading()
  const { reading } = run

  if (reading.list === 'users') {
    await readList(work, 'users', usersPerChunk, chunks, (position) => adapter.users(position), snapshotUser)
    Object.assign(reading, { list: 'groups', position: null, restarts: 0 })
  }
  if (reading.list === 'groups') {
    await readList(work, 'groups', groupsPerChunk, chunks, (position) => adapter.groups(position), snapshotGroup)
    Object.assign(reading, { list: 'members', position: null, restarts: 0 })
  }
  const isWhole = !before || microsOf(before.wholeAt) < clock.now() - dayMicros
  const known = isWhole ? new Map<string, DirectMembers>() : before.direct
  if (!isWhole) run.whole_at = before.wholeAt
  await new MembersReader(work, chunks, adapter, known).readAll()

  const { users = [], groups = [], members = [] } = reading.chunks
  const [root] = await chunks.put([{ users, groups, members }])
  run.root = root ?? null
  run.reading = null
}

type Entry = SnapshotUser | SnapshotGroup

/** Reads one list to its end, page by page. */
async function readList<T>(
  work: RunWork,
  list: 'users' | 'groups',
  perChunk: number,
  chunks: Chunks,
  read: (position: string | null) => Promise<Page<T>>,
  entryOf: (told: T) => Entry,
): Promise<void> {
  const { run } = work
  const reading = run.reading as Reading
  const own = reading.chunks[list] ?? []
  let cutter = new ChunkCutter<Entry>(perChunk)
  const add = async (entry: Entry) => {
    const chunk = cutter.add(entry)
    if (chunk) own.push(...(await chunks.put(chunk)))
    return chunk !== null
  }
  /** What is at hand becomes a chunk of its own, where a step ends before the list says so. */
  const cutHere = async (next: string | null) => {
    own.push(...(await chunks.put(cutter.rest())))
    reading.position = next
    await work.save()
  }
  for (let position = reading.position; ; ) {
    const place = position
    const page = await askProvider(work, () => read(place)).catch(async (error) => {
      if (!(error instanceof StepOver)) return restartList(work, error)
      await cutHere(place)
      throw error
    })
    if (page === 'again') {
      cutter = new ChunkCutter(perChunk)
      own.length = 0
      run.seen[list] = 0
      position = null
      continue
    }
    // What no chunk holds yet is read again after a crash: the place is that of the page in which it begins.
    if (cutter.isEmpty) reading.position = position
    // What cannot be used is counted when the snapshot is planned with: entries may be read twice.
    for (const { idp_id, name, reason } of page.skipped) {
      if (await add({ idp_id, name, unusable: reason })) reading.position = position
    }
    for (const told of page.entries) {
      const entry = entryOf(told)
      if (!('unusable' in entry)) run.seen[list] = (run.seen[list] ?? 0) + 1
      if (await add(entry)) reading.position = position
    }
    if (list === 'users' && (run.seen.users ?? 0) > bounds.users) throw tooMany('users')
    if (page.next === null) break
    reading.barren = countBarren(list, reading.barren ?? 0, page.barren)
    position = page.next
    if (work.isOver) await cutHere(position)
    await work.keepPlace()
  }
  own.push(...(await chunks.put(cutter.rest())))
  if (work.isDue) await work.save()
}
