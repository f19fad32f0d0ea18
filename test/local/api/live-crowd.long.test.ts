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

/** As many as fit the time of a test: `npm run bench -- --live-crowd` measures others. */
const size = 400
const atOnce = 100

let channel: Awaited<ReturnType<typeof openChannel>>
const crowd = new LiveCrowd()
beforeAll(async () => {
  channel = await openChannel({
    limits: { handshakes: atOnce },
    // Who comes first is in the middle of its handshake until all others have come: how fast the table answers does not matter.
    intercept: async (route, event) => {
      if (route === '$connect') await until(() => crowd.closed >= size - atOnce)
      return handlers[route](event as LiveEvent)
    },
  })
})
afterAll(() => channel.stop())

test('a crowd that connects at once comes in, though most are refused first, is told of a change over time, and is forgotten', async () => {
  const world = await newAccessWorld()
  const sessions = await plantSessions(world, size)
  const from = await followUpFrom(world.account.id)
  crowd.connect(channel.url, sessions)
  expect(await crowd.untilOpened(size, 200_000)).toBe(size)
  // What the platform refuses comes again by itself.
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
