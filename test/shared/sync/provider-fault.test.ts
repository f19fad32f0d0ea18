import { expect, it } from 'vitest'
import { ProviderFault } from '#shared/sync/adapter.ts'

it('truncates a sentence to 1,000 characters', () => {
  const fault = new ProviderFault('fatal', 'x'.repeat(2_000))
  expect(fault.message).toHaveLength(1_000)
  expect(new ProviderFault('fatal', 'x'.repeat(1_000)).message).not.toContain('…')
})

it('has defaults for all optional properties', () => {
  expect(new ProviderFault('retry', 'Users returned 503.')).toMatchObject({
    faultClass: 'retry',
    retryAfterMs: null,
    reason: 'gone',
    finalClass: 'transient',
  })
})
