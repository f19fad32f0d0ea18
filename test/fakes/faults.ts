import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeRequest, Fault } from './fake-server.ts'

/** Concerns only what is asked below such paths. */
export const on =
  (path: RegExp, fault: Fault): Fault =>
  (request, answer) =>
    path.test(request.path) ? fault(request, answer) : null

/** Happens so many times, and no more. */
export function times(count: number, fault: Fault): Fault {
  let left = count
  return async (request, answer) => {
    if (left <= 0) return null
    const found = await fault(request, answer)
    if (found) left--
    return found
  }
}

/** Lets the first ones pass. */
export function after(count: number, fault: Fault): Fault {
  let left = count
  return (request, answer) => {
    if (left <= 0) return fault(request, answer)
    left--
    return null
  }
}

/** Always the same answer. */
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

export const redirected = (to: string): Fault => always({ status: 302, headers: { location: to } })

/** An answer of so many bytes and more. */
export const huge =
  (bytes: number): Fault =>
  (_request, answer) => {
    const { json, ...rest } = answer()
    return { ...rest, json: { ...(json as object), padding: 'x'.repeat(bytes) } }
  }

/** Changes the body of an answer. */
export const changed =
  (change: (body: Record<string, unknown>, request: FakeRequest) => unknown): Fault =>
  (request, answer) => {
    const whole = answer()
    return { ...whole, json: change(structuredClone(whole.json) as Record<string, unknown>, request) }
  }

/** The list of an answer is missing, with a status that says it worked. */
export const withoutKey = (key: string): Fault => changed(({ [key]: _, ...rest }) => rest)

/** Of the list only every second entry is there; `null` where the body itself is the list. */
export const halfList = (key: string | null): Fault => {
  const half = (list: unknown) => (Array.isArray(list) ? list.filter((_, at) => at % 2 === 0) : list)
  return changed((body) => (key === null ? half(body) : { ...body, [key]: half(body[key]) }))
}

/** A page of a proxy or of maintenance, instead of an answer. */
export const html = (status: number): Fault => always({ status, text: '<html><body>Back soon</body></html>' })
