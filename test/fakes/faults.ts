import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeRequest, Fault } from './fake-server.ts'

/** Limits a fault to requests with a matching path. */
export const on =
  (path: RegExp, fault: Fault): Fault =>
  (request, answer) =>
    path.test(request.path) ? fault(request, answer) : null

/** Limits a fault to its first `count` occurrences. */
export function times(count: number, fault: Fault): Fault {
  let left = count
  return async (request, answer) => {
    if (left <= 0) return null
    const found = await fault(request, answer)
    if (found) left--
    return found
  }
}

/** Applies a fault only after `count` unaffected requests. */
export function after(count: number, fault: Fault): Fault {
  let left = count
  return (request, answer) => {
    if (left <= 0) return fault(request, answer)
    left--
    return null
  }
}

export const always =
  (answer: FakeAnswer): Fault =>
  () =>
    answer

export const slow =
  (ms: number): Fault =>
  async (_request, answer) => {
    await sleep(ms)
    return answer()
  }

export const redirectTo = (to: string): Fault => always({ status: 302, headers: { location: to } })

/** Pads the JSON body of a response to more than `bytes` bytes. */
export const huge =
  (bytes: number): Fault =>
  (_request, answer) => {
    const { json, ...rest } = answer()
    return { ...rest, json: { ...(json as object), padding: 'x'.repeat(bytes) } }
  }

export const changeBody =
  (change: (body: Record<string, unknown>, request: FakeRequest) => unknown): Fault =>
  (request, answer) => {
    const whole = answer()
    return { ...whole, json: change(structuredClone(whole.json) as Record<string, unknown>, request) }
  }

export const withoutKey = (key: string): Fault => changeBody(({ [key]: _, ...rest }) => rest)

/** Removes every second entry from the list in the field `key`, or from the body if `key` is null. */
export const halfList = (key: string | null): Fault => {
  const half = (list: unknown) => (Array.isArray(list) ? list.filter((_, at) => at % 2 === 0) : list)
  return changeBody((body) => (key === null ? half(body) : { ...body, [key]: half(body[key]) }))
}

/** Responds with an HTML page instead of JSON, as a proxy does. */
export const html = (status: number): Fault => always({ status, text: '<html><body>Back soon</body></html>' })
