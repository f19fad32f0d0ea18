import { expect, it } from 'vitest'
import { parseTimestamp } from '#shared/core/clock.ts'
import { settledUntil } from '#shared/seal/seal-activity.ts'

const at = (time: string) => parseTimestamp(`2026-11-22T${time}Z`) ?? 0

it('takes an hour as settled 15 minutes after its end, and not before (S1.3)', () => {
  expect(settledUntil(at('10:14:59.999999'))).toBe(at('09:00:00'))
  expect(settledUntil(at('10:15:00'))).toBe(at('10:00:00'))
})
