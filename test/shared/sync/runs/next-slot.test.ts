import { expect, it } from 'vitest'
import type { DirectoryRow } from '#shared/domain/directories/directory.ts'
import type { PostureProviderRow, PostureProviderType } from '#shared/domain/posture-providers/posture-provider.ts'
import { directorySources } from '#shared/sync/directories/directory-source.ts'
import { inventoryInfo } from '#shared/sync/inventories/inventory-plan.ts'
import { nextSlot } from '#shared/sync/runs/run.ts'

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
  const minutes = Object.fromEntries(
    Object.entries(directorySources).map(([kind, { minuteOf }]) => [kind, minuteOf({} as DirectoryRow)]),
  )
  expect(minutes).toEqual({ tenant: 0, suite: 20, idp: 40 })
})

it('puts the types of device inventories between them (I7.1)', () => {
  const minuteOf = (type: PostureProviderType) => inventoryInfo.minuteOf({ type } as PostureProviderRow)
  expect([minuteOf('mdm'), minuteOf('tenant')]).toEqual([50, 10])
})
