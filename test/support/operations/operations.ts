import { loadOperations, type OperationSource } from '#functions/operations.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { withRoute } from '../accounts/account.ts'
import { collection } from '../accounts/collection.ts'

export type Entry = OperationSource & {
  handler: Handler
  /** Method and path, for example `POST /groups`. */
  name: string
}

async function load(): Promise<Entry[]> {
  return Promise.all(
    (await loadOperations()).map(async (source) => {
      const { handler } = await import(new URL(`../../../functions/${source.file}`, import.meta.url).href)
      const name = `${source.operation.method} ${source.operation.path}`
      return { ...source, handler: withRoute(handler, name), name }
    }),
  )
}

/** Caches the entries, because importing the modules again takes longer than creating an account. */
let loaded: Promise<Entry[]> | undefined

/** Loads every registered operation with its Lambda handler. */
export function loadEntries(): Promise<Entry[]> {
  loaded ??= load()
  return loaded
}

export async function handlerOf(name: string): Promise<Handler> {
  const found = (await loadEntries()).find((entry) => entry.name === name)
  if (!found) throw new Error(`There is no operation ${name}.`)
  return found.handler
}

/** Returns the calls for a collection whose operations a factory creates for each kind, such as `/oidc_auth_providers`. */
export async function collectionAt(path: string, envelope: string) {
  const handlers = new Map((await loadEntries()).map(({ name, handler }) => [name, handler]))
  const handler = (name: string): Handler => {
    const found = handlers.get(name)
    if (!found) throw new Error(`There is no operation ${name}.`)
    return found
  }
  return collection(envelope, {
    create: handler(`POST ${path}`),
    get: handler(`GET ${path}/{id}`),
    list: handler(`GET ${path}`),
    update: handler(`PATCH ${path}/{id}`),
    remove: handler(`DELETE ${path}/{id}`),
  })
}
