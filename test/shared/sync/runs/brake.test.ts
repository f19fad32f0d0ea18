import { expect, it } from 'vitest'
import { brake } from '#shared/sync/runs/plan.ts'

const identities = (lost: number, owned: number) => ({ identities: { lost, owned } })

it.each([
  ['nothing is lost', identities(0, 0), null],
  ['a first run owns nothing', identities(0, 0), null],
  ['a few of many', identities(9, 10), null],
  ['half is not more than half', identities(50, 100), null],
  [
    'more than half, and at least ten',
    identities(51, 100),
    'Sync would delete 51 of 100 identities; nothing was changed.',
  ],
  ['exactly ten of nineteen', identities(10, 19), 'Sync would delete 10 of 19 identities; nothing was changed.'],
  ['nine of ten are fewer than ten', identities(9, 10), null],
  ['all of them, however few', identities(1, 1), 'Sync would delete 1 of 1 identities; nothing was changed.'],
  [
    'the only membership of a tiny directory',
    { identities: { lost: 0, owned: 3 }, groups: { lost: 0, owned: 1 }, memberships: { lost: 1, owned: 1 } },
    'Sync would delete 1 of 1 memberships; nothing was changed.',
  ],
  [
    'all of them, reported as inactive',
    { identities: { lost: 0, owned: 40, inactive: 40 } },
    'Sync would delete 40 of 40 identities; nothing was changed.',
  ],
  [
    'all of them, some inactive and some absent',
    { identities: { lost: 3, owned: 40, inactive: 37 } },
    'Sync would delete 40 of 40 identities; nothing was changed.',
  ],
  ['all but one, reported as inactive', { identities: { lost: 0, owned: 40, inactive: 39 } }, null],
  ['absent ones below the percentage, with inactive ones', { identities: { lost: 12, owned: 40, inactive: 20 } }, null],
  [
    'each kind separately',
    { identities: { lost: 0, owned: 50 }, groups: { lost: 12, owned: 20 } },
    'Sync would delete 12 of 20 groups; nothing was changed.',
  ],
  [
    'memberships',
    { memberships: { lost: 700, owned: 1000 } },
    'Sync would delete 700 of 1000 memberships; nothing was changed.',
  ],
])('%s', (_name, losses, sentence) => {
  expect(brake(losses, 50)).toBe(sentence)
})

it('uses the percentage of the deployment', () => {
  expect(brake(identities(30, 100), 20)).toMatch(/30 of 100/)
  expect(brake(identities(90, 100), 95)).toBeNull()
})
