import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { clock } from '#shared/core/clock.ts'
import { checkLogLine } from '#test/support/logs/check-log-line.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

/** Names of the operations that generate or receive a secret. The long tests cover all operations. */
const names = (await loadEntries()).filter(({ operation }) => operation.secret).map(({ name }) => name)

let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it.each([...names, 'POST /ingestion/flow_logs', 'POST /v0/users'])(
  '%s logs one line with caller and operation, and none of the content',
  (name) => checkLogLine(world, name),
)

it('logs a bug with its stack and the ids of its request, without the content', async () => {
  const log = catchLog()
  vi.spyOn(clock, 'now').mockImplementation(() => {
    throw new Error(`A bug with ${world.account.token} and ada@example.com`)
  })
  const body = { actor: { name: 'Grace Hopper', type: 'service_account' } }
  const { status, headers } = await world.account.call(createActor, { method: 'POST', body })
  expect(status).toBe(500)
  const lines = log.lines()
  expect(lines.map(({ event }) => event)).toEqual(['unexpected_error', 'request'])
  for (const line of lines)
    expect(line).toMatchObject({ request_id: headers['x-request-id'], operation: 'POST /actors' })
  expect(lines[0]?.error).toBe('Error: A bug with [token] and [email]')
  for (const content of [world.account.token, 'ada@', 'Grace']) expect(log.text()).not.toContain(content)
})
