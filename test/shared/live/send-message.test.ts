import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { notedSamples, runInvocation } from '#shared/core/logging/invocation.ts'
import { type Connection, findConnection, keepConnection } from '#shared/live/connection.ts'
import { sendMessage } from '#shared/live/send-message.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Fakes an API Gateway that returns `status`, or never responds if `status` is null. */
async function platform(status: number | null): Promise<() => void> {
  const server = createServer((_request, response) => {
    if (status !== null) response.writeHead(status).end('{"message":"so"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('LIVE_ENDPOINT', `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`)
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

const connection = (): Connection => ({
  connection_id: `${crypto.randomUUID()}=`,
  account_id: crypto.randomUUID(),
  device: 'clients',
  device_id: crypto.randomUUID(),
  session_id: crypto.randomUUID(),
  token_id: crypto.randomUUID(),
  actor_id: null,
  is_person: false,
  connected_at: clock.now() - 60_000_000,
})

test.each([
  [200, { messages_sent: 1 }, true],
  [410, {}, false],
  [429, { messages_failed: 1 }, true],
  [500, { messages_failed: 1 }, true],
  [null, { messages_failed: 1 }, true],
])(
  'a response %j of the platform is measured as %j, and keeps the connection: %j (C5.4)',
  async (status, measured, kept) => {
    const stop = await platform(status)
    const log = catchLog()
    const recipient = connection()
    await keepConnection(recipient)
    const [sent, samples] = await runInvocation({}, async () => [
      await sendMessage(recipient, { type: 'test' }),
      notedSamples(),
    ])
    expect(sent).toBe(status === 200 ? 'sent' : status === 410 ? 'gone' : 'failed')
    expect(samples).toEqual(measured)
    expect((await findConnection(recipient.connection_id)) !== undefined).toBe(kept)
    const failed = 'messages_failed' in measured
    expect(log.lines().map(({ event }) => event)).toEqual(failed ? ['device_not_notified'] : [])
    stop()
  },
)
