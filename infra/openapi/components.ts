import { readdir } from 'node:fs/promises'
import { isObject } from '#shared/core/json/is-object.ts'

const isNamed = (name: string, value: unknown): value is object =>
  /^[A-Z]/.test(name) && isObject(value) && ['object', 'variant'].includes(String(value.type))

/** The object schemas that `shared` exports, with their names: what the document gives once and refers to. */
export async function namedSchemas(): Promise<Map<object, string>> {
  const root = new URL('../../shared/', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts')).sort()
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(new URL(file, root).href)))
  const names = new Map<object, string>()
  for (const [name, value] of modules.flatMap(Object.entries)) {
    if (!isNamed(name, value) || names.has(value)) continue
    if ([...names.values()].includes(name)) throw new Error(`Two schemas are called ${name}.`)
    names.set(value, name)
  }
  return names
}
