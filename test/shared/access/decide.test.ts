import { describe, expect, test } from 'vitest'
import { choosePolicy } from '#shared/access/decide.ts'
import { parseTimestamp } from '#shared/core/clock.ts'
import type { PolicyRow } from '#shared/domain/policies/policy.ts'
import { conditionContext } from '#test/support/access/circumstances.ts'

const at = (text: string) => parseTimestamp(text) as number
const now = at('2026-11-16T12:00:00Z') // The date is a Monday.
const tokenEnd = at('2026-11-20T00:00:00Z')
const context = conditionContext({ ip: '192.0.2.1' })

const until = (end: string) => ({
  property: 'current_utc_datetime',
  operator: 'is_in_day_of_week_time_ranges',
  values: [`M/09:00-${end}/UTC`],
})
const region = { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] }
const verified = { property: 'client_verified', operator: 'is', values: ['true'] }
const policy = (id: string, ...conditions: PolicyRow['conditions']) => ({ id, conditions }) as PolicyRow
const choose = (...granting: PolicyRow[]) => choosePolicy(granting, context, tokenEnd, now)

describe('choosing a policy (P5.3)', () => {
  test('chooses the longest access; no end is the longest', () => {
    expect(choose(policy('short', until('13:00')), policy('long', until('17:00')))).toMatchObject({
      policy: { id: 'long' },
      expiresAt: at('2026-11-16T17:00:00Z'),
    })
    expect(choose(policy('long', until('17:00')), policy('endless'))).toMatchObject({
      policy: { id: 'endless' },
      expiresAt: tokenEnd,
    })
  })

  test('chooses the oldest policy for equal ends', () => {
    expect(choose(policy('a', until('17:00')), policy('b', until('17:00')))).toMatchObject({ policy: { id: 'a' } })
  })

  test('lists violated properties once, in policy order', () => {
    expect(choose(policy('a', region, verified), policy('b', verified, until('11:00')))).toEqual({
      violated: ['remote_ip_location_region', 'client_verified', 'current_utc_datetime'],
    })
  })

  test('treats an end that is not in the future as violated (P5.5(2))', () => {
    expect(choose(policy('a', until('12:00')))).toEqual({ violated: ['current_utc_datetime'] })
  })
})
