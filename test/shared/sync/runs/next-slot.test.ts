import { expect, it } from 'vitest'
import { directorySources } from '#shared/sync/runs/directory-source.ts'
import { nextSlot } from '#shared/sync/runs/next-slot.ts'

const micros = (text: string) => Date.parse(text) * 1_000
const slot = (minute: number, now: string) => new Date(nextSlot(minute, micros(now)) / 1_000).toISOString()

it.each([
  [0, '2026-03-01T10:00:00Z', '2026-03-01T12:00:00.000Z'],
  [0, '2026-03-01T11:59:59Z', '2026-03-01T12:00:00.000Z'],
  [20, '2026-03-01T10:19:59Z', '2026-03-01T10:20:00.000Z'],
  [40, '2026-03-01T11:00:00Z', '2026-03-01T12:40:00.000Z'],
  [40, '2026-03-31T23:59:59Z', '2026-04-01T00:40:00.000Z'],
])('minute %i of even hours after %s is %s', (minute, now, expected) => {
  expect(slot(minute, now)).toBe(expected)
})

it('staggers the kinds of directories (I4.1)', () => {
  const minutes = Object.fromEntries(Object.entries(directorySources).map(([kind, { minute }]) => [kind, minute]))
  expect(minutes).toEqual({ tenant: 0, suite: 20, idp: 40 })
})
