import type { Entity } from '#shared/table/entity.ts'
import { sourcesBelow } from '../run/imports.ts'

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'upgrades' in value && 'indexes' in value

/** Loads all entities that `shared/` exports, directly or inside records. Keys the result by collection. */
export async function loadEntities(): Promise<Map<string, Entity>> {
  const files = [...sourcesBelow('shared')].filter(([, text]) => text.includes('entity<')).map(([file]) => file)
  const modules = await Promise.all(files.map((file) => import(new URL(`../../../${file}`, import.meta.url).href)))
  const exported = modules.flatMap((module) => Object.values<object | undefined>(module))
  const entities = exported.flatMap((value) =>
    isEntity(value) ? [value] : Object.values(value ?? {}).filter(isEntity),
  )
  return new Map(entities.map((entity) => [entity.name, entity]))
}
