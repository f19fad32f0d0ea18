import { onTestFinished } from 'vitest'
import { type EngineAnswer, type EngineRequest, standBeforeTable } from './in-front-of-table.ts'

/**
 * Answers the first `count` matching requests with an error until the end of the test, and counts all matching ones.
 */
export function refuseRequests(
  count: number,
  error: EngineAnswer,
  matches: (request: EngineRequest) => boolean,
): { asked: number } {
  const seen = { asked: 0 }
  const remove = standBeforeTable((request) => {
    if (!matches(request) || seen.asked++ >= count) return request.ask()
    return Promise.resolve(error)
  })
  onTestFinished(remove)
  return seen
}
