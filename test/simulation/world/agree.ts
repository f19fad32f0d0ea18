import { isDeepStrictEqual } from 'node:util'

/** Ends the simulation if service and model differ. */
export function agree(what: string, service: unknown, model: unknown): void {
  if (isDeepStrictEqual(service, model)) return
  throw new Error(
    `Service and model differ: ${what}.\nservice: ${JSON.stringify(service)}\nmodel:   ${JSON.stringify(model)}`,
  )
}
