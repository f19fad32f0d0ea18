import { loadOperations, type OperationSource } from '#functions/operations.ts'
import type { Handler } from '#shared/http/lambda.ts'

export type Entry = OperationSource & {
  handler: Handler
  /** `POST /groups` */
  name: string
}

/** Every operation of the registry with its Lambda handler. */
export async function loadEntries(): Promise<Entry[]> {
  return Promise.all(
    (await loadOperations()).map(async (source) => {
      const { handler } = await import(new URL(`../../functions/${source.file}`, import.meta.url).href)
      return { ...source, handler, name: `${source.operation.method} ${source.operation.path}` }
    }),
  )
}
