import { isDeepStrictEqual } from 'node:util'

/**
 * Compares a result from the service with the model's result.
 * @throws Error if they differ
 */
export function agree(what: string, service: unknown, model: unknown): void {
  if (isDeepStrictEqual(service, model)) return
  throw new Error(
    `Service and model differ: ${what}.\nservice: ${JSON.stringify(service)}\nmodel:   ${JSON.stringify(model)}`,
  )
}
