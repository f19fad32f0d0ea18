import { onTestFinished } from 'vitest'
import { type EngineAnswer, type EngineRequest, interceptEngine } from './intercept-engine.ts'

/** Responds to the first `count` matching requests with an error, until the test ends. `matched` counts all matching requests. */
export function refuseRequests(
  count: number,
  error: EngineAnswer,
  matches: (request: EngineRequest) => boolean,
): { matched: number } {
  const counts = { matched: 0 }
  const remove = interceptEngine((request) => {
    if (!matches(request) || counts.matched++ >= count) return request.send()
    return Promise.resolve(error)
  })
  onTestFinished(remove)
  return counts
}
