import { afterEach, expect, it, vi } from 'vitest'
import { watched } from '#shared/core/logging/watched.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it('logs the end of a run with its name, and returns its result', async () => {
  const log = catchLog()
  const handler = watched('expire', async (event: number, _context: unknown) => event + 1)
  expect(await handler(1, { awsRequestId: 'run-1' })).toBe(2)
  expect(log.lines()).toMatchObject([{ event: 'run', operation: 'expire', request_id: 'run-1' }])
})

it('logs the failure of a run with each cause, and rethrows it', async () => {
  const log = catchLog()
  const failing = new AggregateError([new Error('first'), new Error('second')], 'Some rows were not deleted.')
  await expect(watched('expire', () => Promise.reject(failing))()).rejects.toBe(failing)
  expect(log.lines()).toMatchObject([
    { level: 'ERROR', event: 'run_failed', operation: 'expire', errors: [{ error: 'Error: first' }, {}] },
  ])
})
