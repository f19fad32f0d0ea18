import { expect, it, onTestFinished, vi } from 'vitest'
import { clock, parseTimestamp } from '#shared/core/clock.ts'
import { logId } from '#shared/logs/log-id.ts'
import { logItems } from '#shared/logs/log-store.ts'
import { hourStart, hourText } from '#shared/seal/hour-leaf.ts'
import { Overtaken } from '#shared/seal/overtaken.ts'
import { settledUntil } from '#shared/seal/seal-activity.ts'
import { hourKey } from '#shared/seal/table-tiles.ts'
import { table } from '#shared/table/client.ts'
import { PutCommand } from '#shared/table/commands.ts'
import { getItem } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { plantItems } from '#test/support/plant-items.ts'
import { laterByMinutes, sealNow, sealWorld } from '#test/support/sealing.ts'

const at = (time: string) => parseTimestamp(`2026-11-22T${time}Z`) ?? 0

it('takes an hour as settled 15 minutes after its end, and not before (S1.3)', () => {
  expect(settledUntil(at('10:14:59.999999'))).toBe(at('09:00:00'))
  expect(settledUntil(at('10:15:00'))).toBe(at('10:00:00'))
})

const subject = { actor_id: 'a', actor_name: 'Ada', actor_type: 'service_account', actor_email: null }
const ids = { auth_provider_id: null, device_id: null, gateway_id: null, token_id: null }
const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }

/** An account with so many sessions in an hour that is settled. */
async function newHour(count: number) {
  sealWorld()
  const { id: account } = await newAccount()
  const hour = hourStart(clock.now())
  const entry = { context: 'client', subject: { ...subject, ...ids, ...origin } }
  const items = Array.from({ length: count }, (_, i) =>
    logItems(account, 'session', logId('session', hour + i), hour + i, entry),
  )
  plantItems(items.flatMap(([item]) => item ?? []))
  laterByMinutes(76)
  const key = hourKey(account, 'session', hourText(hour))
  return { account, state: () => getItem<Record<string, unknown> & typeof key>(key) }
}

/** Runs that have time for 1,000 entries or for all, and what happens ahead of what one stores of an hour. */
function runsOf(account: string) {
  const [now, send] = [Date.now.bind(Date), table().send.bind(table())]
  const runs = { ahead: async (_size: unknown) => {} }
  let [isShort, late] = [false, 0]
  const spies = [
    vi.spyOn(Date, 'now').mockImplementation(() => now() + late),
    vi.spyOn(table(), 'send').mockImplementation((async (command: object) => {
      if (command instanceof PutCommand && command.input.Item?.kind === 'seal_hour') {
        await runs.ahead(command.input.Item.size)
      }
      const answer = (await send(command as never)) as { Items?: unknown[] }
      if (isShort && (answer.Items?.length ?? 0) >= 1_000) late = 60_000
      return answer
    }) as never),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const seal = (short: boolean) => {
    ;[isShort, late] = [short, 0]
    return sealNow(account, 'activity', now() + 60_000)
  }
  return Object.assign(runs, { seal })
}

it('goes on with an hour that one run has no time for', async () => {
  const { account, state } = await newHour(1_200)
  const { seal } = runsOf(account)
  await seal(true)
  expect(await state()).toMatchObject({ size: 1_000 })
  expect(await state()).not.toHaveProperty('root')
  await seal(false)
  expect(await state()).toMatchObject({ size: 1_200, root: expect.any(String) })
})

it.each([
  ['with which the next run has come further', [true, true], { size: 2_000 }],
  ['that the next run has sealed', [false], { size: 2_100, root: expect.any(String) }],
])('leaves an unfinished hour %s to that run', async (_what, others, expected) => {
  const { account, state } = await newHour(2_100)
  const runs = runsOf(account)
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  runs.ahead = async (size) => {
    if (size !== 1_000) return
    runs.ahead = async () => {}
    reached.resolve()
    await released.promise
  }
  const late = runs.seal(true).catch((error) => error)
  await reached.promise
  laterByMinutes(6)
  for (const short of others) await runs.seal(short)
  const before = await state()
  expect(before).toMatchObject(expected)
  released.resolve()
  expect(await late).toBeInstanceOf(Overtaken)
  expect(await state()).toEqual(before)
})
