import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concurrencyFinding } from '#shared/jobs/concurrency/check-concurrency.ts'

const wanted = { reserved: 150, requestsPerSecond: 3_000, deployedBefore: false }

describe('the concurrency quota of an account', () => {
  it('refuses the first deployment in a new AWS account, and describes both remedies', () => {
    const { refused, text } = concurrencyFinding({ limit: 10, unreserved: 10 }, wanted)
    expect(refused).toBe(true)
    expect(text).toBe(
      'This account can run 10 Lambda functions at once in this region, 10 of them unreserved. The deployment reserves 150 and Lambda keeps 100 unreserved, so 250 must be free. Request a higher quota (Service Quotas, lambda, L-B99A9384), lower the settings that end with Concurrency, or set reserveConcurrency=false to reserve nothing.',
    )
  })

  it('refuses a deployment if other functions leave too little', () => {
    expect(concurrencyFinding({ limit: 1_000, unreserved: 249 }, wanted).refused).toBe(true)
    expect(concurrencyFinding({ limit: 1_000, unreserved: 250 }, wanted).refused).toBe(false)
  })

  it('estimates the requests that the remainder can serve', () => {
    expect(concurrencyFinding({ limit: 1_000, unreserved: 1_000 }, wanted).text).toContain(
      '850 remain for requests, enough for about 8500 requests per second.',
    )
  })

  it("warns of an account with less capacity than the stage's throttle", () => {
    const { refused, text } = concurrencyFinding({ limit: 10, unreserved: 10 }, { ...wanted, reserved: 0 })
    expect(refused).toBe(false)
    expect(text).toContain('TOO SMALL: 10 remain for requests, enough for about 100 requests per second')
  })

  it('never refuses an update or rollback that keeps or lowers accepted reservations', () => {
    void fc.assert(
      fc.property(fc.nat(3_000), fc.nat(3_000), fc.nat(3_000), fc.nat(3_000), (limit, others, first, then) => {
        fc.pre(others <= limit)
        const created = concurrencyFinding({ limit, unreserved: limit - others }, { ...wanted, reserved: first })
        fc.pre(!created.refused && then <= first)
        const unreserved = limit - others - first
        const update = { ...wanted, deployedBefore: true }
        expect(concurrencyFinding({ limit, unreserved }, { ...update, reserved: then }).refused).toBe(false)
        expect(concurrencyFinding({ limit, unreserved }, { ...update, reserved: first }).refused).toBe(false)
      }),
    )
  })
})
