import { afterAll, beforeAll, expect, test } from 'vitest'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { connectionsOf } from '#shared/domain/connections/connection.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { followUpFrom } from '#test/support/commit-stream.ts'
import { type LiveDevice, openChannel } from '#test/support/live.ts'
import { until } from '#test/support/until.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

const size = 250

test('a crowd that connects at once is let in, told of a change over time, and forgotten when it goes', async () => {
  const world = await newAccessWorld()
  // A token has a rate limit: ten devices share each.
  const sessions: { token: string; id: string }[] = []
  for (let i = 0; i < size / 10; i++) {
    const { token } = await world.addToken()
    const started = await Promise.all(
      Array.from({ length: 10 }, (_, j) => world.startSession({ svc_id: `${i}-${j}` }, { token })),
    )
    sessions.push(...started.map(({ body }) => ({ token, id: body.data.id as string })))
  }
  const devices: LiveDevice[] = await Promise.all(sessions.map(({ token, id }) => channel.connect(token, id)))
  expect(await connectionsOf(world.account.id, 'clients')).toHaveLength(size)
  for (const device of devices) device.send({ type: 'ping', id: 'here' })
  await Promise.all(devices.map((device) => device.next('pong')))

  const from = await followUpFrom(world.account.id)
  const body = { policy: { is_disabled: true } }
  await world.account.call(updatePolicy, { method: 'PATCH', params: { id: world.policy.id }, body })
  await followUpFrom(world.account.id, from)
  const told = await Promise.all(devices.map((device) => device.next('resources')))
  for (const { within_ms } of told) expect(within_ms).toBe(size * 10)

  for (const device of devices) device.close()
  await until(async () => (await connectionsOf(world.account.id, 'clients')).length === 0)
}, 240_000)
