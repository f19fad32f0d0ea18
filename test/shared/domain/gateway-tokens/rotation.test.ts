import { describe, expect, it } from 'vitest'
import { timestamp } from '#shared/core/clock.ts'
import {
  type GatewayTokenRow,
  planRotation,
  rotationEnded,
  rotationGraceMicros,
} from '#shared/domain/gateway-tokens/gateway-token.ts'

const now = 1_700_000_000_000_000
const token = (id: string, rotatedAt?: number) =>
  ({ id, rotated_at: rotatedAt === undefined ? null : timestamp(rotatedAt) }) as GatewayTokenRow

describe('planRotation (A22)', () => {
  const active = token('active')
  const pending = token('pending', now - 1)
  const ended = token('ended', now - rotationGraceMicros)
  const plan = (tokens: GatewayTokenRow[], used: string[] = []) =>
    planRotation(tokens, ({ id }) => used.includes(id), now)

  it('ends nothing without tokens', () => {
    expect(plan([])).toEqual({ end: [], rotateOut: null })
  })

  it('ends an unused token, and marks a used one as rotated', () => {
    expect(plan([active])).toEqual({ end: [active], rotateOut: null })
    expect(plan([active], ['active'])).toEqual({ end: [], rotateOut: active })
  })

  it('keeps the rotated token of a pending rotation', () => {
    expect(plan([pending, active], ['pending'])).toEqual({ end: [active], rotateOut: null })
    expect(plan([pending], ['pending'])).toEqual({ end: [], rotateOut: null })
  })

  it('deletes a rotated token that has expired, or that is superseded', () => {
    expect(plan([ended, active])).toEqual({ end: [active, ended], rotateOut: null })
    expect(plan([pending, active], ['pending', 'active'])).toEqual({ end: [pending], rotateOut: active })
  })

  it('ends a rotated token exactly 4 hours later', () => {
    expect([rotationEnded(ended, now), rotationEnded(ended, now - 1), rotationEnded(active, now)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
