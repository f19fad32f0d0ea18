import { expect } from 'vitest'
import { isUuid } from '#shared/core/ids.ts'
import { isObject } from '#shared/core/json/is-object.ts'
import { metrics } from '#shared/core/logging/metrics.ts'
import type { sampleRequests } from '../operations/sample-requests.ts'
import { catchLog } from './log-lines.ts'

/** Returns the strings in a body that are content, such as names and secrets. Omits ids and strings of at most six characters. */
function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts)
  if (isObject(value)) return Object.values(value).flatMap(texts)
  return typeof value === 'string' && value.length > 6 && !isUuid(value) ? [value] : []
}

/**
 * Sends a sample request and expects one log line. The line must name the caller and the operation, but contain no content of the request.
 */
export async function checkLogLine(
  { account, samples, send }: Awaited<ReturnType<typeof sampleRequests>>,
  name: string,
) {
  const request = (await samples[name]?.()) ?? {}
  const log = catchLog()
  const { status, headers, body } = await send(name, request)
  const lines = log.lines().filter(({ level }) => level === 'INFO')
  const line = {
    level: 'INFO',
    event: 'request',
    message: expect.any(String),
    timestamp: expect.any(String),
    service: 'network-access',
    class: expect.any(String),
    operation: name,
    request_id: headers['x-request-id'],
    account_id: request.accountId ?? account.id,
    status,
  }
  expect(lines).toEqual([expect.objectContaining(line)])
  const fields = Object.keys(lines[0] ?? {})
  expect([...Object.keys(line), ...Object.keys(metrics)]).toEqual(expect.arrayContaining(fields))
  const contents = [...texts(request), ...texts(body), account.token]
  for (const text of contents) expect(log.text()).not.toContain(JSON.stringify(text).slice(1, -1))
}
