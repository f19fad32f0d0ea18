import { expect, it, vi } from 'vitest'
import { hourMicros, parseTimestamp } from '#shared/core/clock.ts'
import { hourText } from '#shared/seal/log/sealed-log.ts'
import { settledUntil } from '#shared/seal/sealing/seal-activity.ts'
import { type Key, sealKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { advanceMinutes, beforeWrites, sealedState, sealNow } from '#test/support/seal/sealing.ts'
import { newSettledHour } from '#test/support/seal/settled-hour.ts'

const at = (time: string) => parseTimestamp(`2026-11-22T${time}Z`) ?? 0

it('settles an hour 15 minutes after its end (S1.3)', () => {
  expect(settledUntil(at('10:14:59.999999'))).toBe(at('09:00:00'))
  expect(settledUntil(at('10:15:00'))).toBe(at('10:00:00'))
})

it('seals only settled hours with entries, and records the first hour when older ones have expired', async () => {
  vi.stubEnv('LOG_RETENTION_DAYS', '1')
  const { id: account } = await newAccount()
  advanceMinutes(2 * 24 * 60)
  const { hour, seal } = await newSettledHour(3, account)
  await seal()
  const reached = async () => (await getItem<Record<string, unknown> & Key>(sealKey(account, 'activity')))?.hour
  expect(await sealedState(account, 'activity')).toMatchObject({ size: 1, from: hourText(hour) })
  expect(await reached()).toBe(hour + hourMicros)
  advanceMinutes(60)
  await seal()
  expect(await sealedState(account, 'activity')).toMatchObject({ size: 2, from: hourText(hour) })
  advanceMinutes(60)
  await seal()
  expect((await sealedState(account, 'activity')).size).toBe(2)
  expect(await reached()).toBe(hour + 3 * hourMicros)
})

it('completes a signed checkpoint in a later run with enough time', async () => {
  const { account, seal } = await newSettledHour(3)
  let writes = 0
  // Kills the run after the tile and tree of the hour, the tile of the log, and the newest checkpoint were written.
  const restore = beforeWrites((item) => {
    if (!item && ++writes > 2) throw new Error('killed')
  })
  await expect(seal()).rejects.toThrow('killed')
  restore()
  await sealNow(account, 'activity', Date.now() - 1)
  await expect(sealedState(account, 'activity')).rejects.toThrow('Nothing is sealed')
  await seal()
  expect((await sealedState(account, 'activity')).size).toBe(1)
})
