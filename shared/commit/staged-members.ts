import type { Row } from '../table/entity.ts'
import { counterSort, membersPartition } from '../table/keys.ts'
import { type Chunk, changeChunks, chunkItem, type IdChanges, readChunks, splitChunk } from '../table/member-ids.ts'
import { getItem } from '../table/read.ts'
import { put, remove, type Write } from '../table/write-together.ts'
import type { StagedRow } from './staged-row.ts'

/** Number of changed members of a set for which one write is reserved to split a chunk of ids that becomes too long. */
const membersPerSplit = 20

/** Chunks that a change has read, for all ids of a set (null) or for some of them. */
type ChunksRead = { ids: Set<string> | null; chunks: Chunk[] }

/**
 * Returns the ids to add to sets and to remove from them, by the partition of each set: those of the rows, and those of `repairs` without
 * a row.
 */
export function memberChanges(
  accountId: string,
  stagedRows: Iterable<StagedRow>,
  repairs: ReadonlyMap<string, IdChanges> = new Map(),
): Map<string, IdChanges> {
  const changes = new Map(
    repairs.entries().map(([pk, { added, removed }]) => [pk, { added: new Set(added), removed: new Set(removed) }]),
  )
  for (const { entity, before, after } of stagedRows) {
    const link = before && after ? undefined : entity.link?.((after ?? before) as Row)
    if (!link) continue
    const pk = membersPartition(accountId, entity.name, link.set)
    const change = changes.get(pk) ?? { added: new Set(), removed: new Set() }
    change[after ? 'added' : 'removed'].add(link.member)
    changes.set(pk, change)
  }
  return changes
}

/** Members that one commit adds to sets and removes from them. Their ids are stored in chunks (decision 0049). */
export class StagedMembers {
  chunkWrites: Write[] = []
  /** Corrections of row counters by partition, for the sets that are repaired. */
  readonly countCorrections = new Map<string, number>()
  private readonly accountId: string
  private readonly chunksRead = new Map<string, ChunksRead>()
  /** Members whose id is added or removed without their row, by the partition of the set. */
  private readonly repairs = new Map<string, IdChanges>()

  constructor(accountId: string) {
    this.accountId = accountId
  }

  /** Reads the chunks of a set for the given ids, by default for all, unless the change has read them. */
  async chunks(pk: string, ids?: string[]): Promise<Chunk[]> {
    const read = this.chunksRead.get(pk)
    if (read && (read.ids === null || ids?.every((id) => read.ids?.has(id)))) return read.chunks
    const chunks = await readChunks(pk, ids)
    this.chunksRead.set(pk, { ids: ids ? new Set(ids) : null, chunks })
    return chunks
  }

  /**
   * Adds or removes the id of a member, and corrects the row counter of the set, to repair a set in which an id and a row differ
   * (docs/runbooks/change-log.md).
   */
  repair(pk: string, member: string, shouldBeMember: boolean): void {
    const change = this.repairs.get(pk) ?? { added: new Set(), removed: new Set() }
    change[shouldBeMember ? 'added' : 'removed'].add(member)
    this.repairs.set(pk, change)
  }

  /** Upper bound of the writes of chunks. */
  maxWrites(stagedRows: Iterable<StagedRow>): number {
    const sizes = this.changes(stagedRows)
      .values()
      .map(({ added, removed }) => added.size + removed.size)
    return sizes.reduce((sum, size) => sum + size + Math.floor(size / membersPerSplit), 0)
  }

  /**
   * Derives the writes of chunks from the staged rows.
   * @param rowCounts changes of row counters by partition
   * @param freeWrites returns the capacity of the commit, which limits how many chunks are split
   */
  async stageChunks(
    stagedRows: Iterable<StagedRow>,
    rowCounts: ReadonlyMap<string, number>,
    freeWrites: () => number,
  ): Promise<void> {
    const changed = await Promise.all(
      [...this.changes(stagedRows)].map(async ([pk, change]) => {
        const isRepair = this.repairs.has(pk)
        const chunks = await this.chunks(pk, isRepair ? undefined : [...change.added, ...change.removed])
        const changes = changeChunks(pk, chunks, change)
        if (isRepair) await this.correctCounter(pk, [...chunks, ...changes], rowCounts.get(pk) ?? 0)
        return changes
      }),
    )
    const chunks = changed.flat()
    let free = freeWrites() - chunks.length
    this.chunkWrites = chunks.flatMap((chunk) => {
      const parts = splitChunk(chunk, 1 + Math.max(0, free))
      free -= parts.length - 1
      return parts.map((part) => (part.ids.length > 0 ? put(chunkItem(part)) : remove(part)))
    })
  }

  private changes(stagedRows: Iterable<StagedRow>): Map<string, IdChanges> {
    return memberChanges(this.accountId, stagedRows, this.repairs)
  }

  /** Corrects the row counter of a set to the number of its ids. A later chunk replaces an earlier one with the same key. */
  private async correctCounter(pk: string, chunks: Chunk[], rowCount: number): Promise<void> {
    const lengths = new Map(chunks.map(({ sk, ids }) => [sk, ids.length]))
    const count = lengths.values().reduce((sum, length) => sum + length, 0)
    const counter = await getItem<{ rows?: number }>({ pk, sk: counterSort })
    this.countCorrections.set(pk, count - (counter?.rows ?? 0) - rowCount)
  }
}
