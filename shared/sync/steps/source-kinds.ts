import { directoryKinds } from '../../domain/directories/directory.ts'
import { directorySources } from '../directories/directory-source.ts'
import { inventorySource } from '../inventories/inventory-source.ts'
import type { SourceKind } from '../sources/sync-source.ts'

const sources = [...directoryKinds.map((kind) => directorySources[kind]), inventorySource] as unknown as SourceKind[]

/** Everything that is synced, by its collection. */
export const sourceKinds: ReadonlyMap<string, SourceKind> = new Map(
  sources.map((source) => [source.entity.name, source]),
)
