import { expect, it } from 'vitest'
import type { OriginSecret } from '#shared/core/secrets/origin-secret.ts'
import { rotated } from '#shared/jobs/origin-secret/rotated.ts'

it('changes to the word that was prepared, and keeps the one that was sent', () => {
  const first = rotated({ current: 'a' }, 'b')
  expect(first).toEqual({ current: 'a', next: 'b' })
  const second = rotated(first, 'c')
  expect(second).toEqual({ previous: 'a', current: 'b', next: 'c' })
  expect(rotated(second, 'd')).toEqual({ previous: 'b', current: 'c', next: 'd' } satisfies OriginSecret)
})
