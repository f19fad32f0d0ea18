import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { connectionsOf } from '#shared/live/connection.ts'
import type { LiveEvent } from '#shared/live/live-handler.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { handlers, openChannel } from '#test/support/access/live.ts'
import { LiveCrowd } from '#test/support/access/live-crowd.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'
import { until } from '#test/support/run/until.ts'
import { plantSessions } from '#test/support/table/plant-sessions.ts'

/** Number of clients, small enough to keep the test short. `npm run bench -- --live-crowd` measures larger and smaller numbers. */
const size = 400
const atOnce = 100

let channel: Awaited<ReturnType<typeof openChannel>>
const crowd = new LiveCrowd()
beforeAll(async () => {
  channel = await openChannel({
    limits: { handshakes: atOnce },
    // Delays the first handshakes until all other clients are refused, so that the speed of the table does not affect the test.
    intercept: async (route, event) => {
      if (route === '$connect') await until(() => crowd.closed >= size - atOnce)
      return handlers[route](event as LiveEvent)
    },
  })
})
afterAll(() => channel.stop())

test('connects a crowd at once after refusing most of it first, notifies it of a change over time, and deletes its connections', async () => {
  const world = await newAccessWorld()
  const sessions = await plantSessions(world, size)
  const from = await followUpFrom(world.account.id)
  crowd.connect(channel.url, sessions)
  expect(await crowd.untilOpened(size, 200_000)).toBe(size)
  // Expects that all other clients were refused at first. Refused clients retry automatically.
  expect(crowd.closed).toBeGreaterThanOrEqual(size - atOnce)
  expect(await connectionsOf(world.account.id, 'clients')).toHaveLength(size)

  const body = { policy: { is_disabled: true } }
  await world.account.call(updatePolicy, { method: 'PATCH', params: { id: world.policy.id }, body })
  await followUpFrom(world.account.id, from)
  expect(crowd.received).toEqual(Array.from({ length: size }, () => ({ type: 'resources', within_ms: size * 10 })))

  crowd.close()
  for (let waits = 0; waits < 600 && (await connectionsOf(world.account.id, 'clients')).length > 0; waits++)
    await sleep(200)
  expect(await connectionsOf(world.account.id, 'clients')).toEqual([])
}, 400_000)
