import { directoryKinds } from '../../domain/directories/directory.ts'
import { directorySources } from './directory-source.ts'
import type { SourceKind } from './sync-source.ts'

/** Everything that is synced, by its collection. */
export const sourceKinds: ReadonlyMap<string, SourceKind> = new Map(
  directoryKinds.map((kind) => {
    const source = directorySources[kind] as unknown as SourceKind
    return [source.entity.name, source]
  }),
)
