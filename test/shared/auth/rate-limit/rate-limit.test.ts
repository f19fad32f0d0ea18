import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import type { Bucket } from '#shared/auth/rate-limit/bucket.ts'
import { bucketKey } from '#shared/auth/rate-limit/bucket-item.ts'
import { LeaseHolder, takeUnit } from '#shared/auth/rate-limit/lease-holder.ts'
import { clock } from '#shared/core/clock.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const bucket = (parts: Partial<Bucket> = {}): Bucket => ({
  name: 'account',
  accountId: crypto.randomUUID(),
  owner: 'account',
  capacity: 10,
  refill: 2,
  lease: 1,
  ...parts,
})
const holdClock = () => {
  let now = clock.now()
  vi.spyOn(clock, 'now').mockImplementation(() => now)
  return (seconds: number) => {
    now += seconds * 1_000_000
  }
}

describe('a bucket', () => {
  it('grants its capacity, then nothing, then units at its refill rate', async () => {
    const pass = holdClock()
    const ownBucket = bucket()
    for (let left = 9; left >= 0; left--) {
      expect((await takeUnit(ownBucket)).ratelimit).toBe(`"account";r=${left};t=${Math.ceil((10 - left) / 2)}`)
    }
    await expect(takeUnit(ownBucket)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'retry-after': '1', ratelimit: '"account";r=0;t=5', 'ratelimit-policy': '"account";q=10;w=5' },
    })
    pass(1)
    await takeUnit(ownBucket)
    await takeUnit(ownBucket)
    await expect(takeUnit(ownBucket)).rejects.toMatchObject({ status: 429 })
    pass(60)
    expect((await takeUnit(ownBucket)).ratelimit).toBe('"account";r=9;t=1')
  })

  it('reports the time until a slow bucket has a unit', async () => {
    holdClock()
    const slow = bucket({ capacity: 1, refill: 0.1 })
    await takeUnit(slow)
    await expect(takeUnit(slow)).rejects.toMatchObject({ headers: { 'retry-after': '10' } })
  })

  it('recovers at once from a clock that was ahead', async () => {
    const pass = holdClock()
    const ownBucket = bucket()
    pass(86_400)
    for (let i = 0; i < 10; i++) await takeUnit(ownBucket)
    pass(-86_400)
    expect((await takeUnit(ownBucket)).ratelimit).toBe('"account";r=9;t=1')
  })

  it('needs well under one write per request', async () => {
    const ownBucket = bucket({ capacity: 500, refill: 50, lease: 10 })
    const sent = recordCommands()
    for (let i = 0; i < 100; i++) await takeUnit(ownBucket)
    expect(sent.length).toBeLessThanOrEqual(30)
  })

  it('takes a lease with one write and no read, from an unknown or unchanged bucket', async () => {
    const pass = holdClock()
    const ownBucket = bucket({ capacity: 500, refill: 50, lease: 10 })
    const sent = recordCommands()
    for (let i = 0; i < 17; i++) await takeUnit(ownBucket)
    expect(sent.map((command) => command.constructor.name)).toEqual(Array(5).fill('UpdateCommand'))
    pass(60)
    await new LeaseHolder().takeUnit(ownBucket)
    expect(sent).toHaveLength(6)
  })

  it('reads items of an earlier version of the service', async () => {
    holdClock()
    const ownBucket = bucket({ capacity: 50, refill: 10, lease: 5 })
    const left = async (full_at: number) => {
      const Item = { ...(await getItem(bucketKey(ownBucket))), ...bucketKey(ownBucket), kind: 'rate', full_at }
      await table().send(new PutCommand({ TableName: tableName(), Item }))
    }
    await left(clock.now() + 2_000_000)
    expect((await takeUnit(ownBucket)).ratelimit).toBe('"account";r=29;t=3')
    for (let i = 0; i < 8; i++) await takeUnit(ownBucket)
    await left(clock.now() + 4_000_000)
    await expect(new LeaseHolder().takeUnit(ownBucket)).resolves.toMatchObject({ ratelimit: '"account";r=9;t=5' })
  })

  it('never grants more than its capacity to concurrent callers', async () => {
    holdClock()
    const ownBucket = bucket({ capacity: 30, lease: 3 })
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => takeUnit(ownBucket)))
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(30)
    const rest = await Promise.allSettled(Array.from({ length: 30 }, () => takeUnit(ownBucket)))
    const given = [...results, ...rest].filter(({ status }) => status === 'fulfilled').length
    expect(given).toBe(30)
  })
})

describe('the account API', () => {
  it('reports the remaining units in every authenticated response, including errors', async () => {
    const account = await newAccount()
    const answers = [
      await account.call(getAccount),
      await account.call(createGroup, { method: 'POST', body: { group: {} } }),
    ]
    for (const { headers } of answers) {
      expect(headers['ratelimit-policy']).toBe('"account";q=500;w=10')
      expect(headers.ratelimit).toMatch(/^"account";r=(49\d|500);t=[01]$/)
    }
    const refused = await account.call(getAccount, { token: 'nonsense' })
    expect(refused.headers).not.toHaveProperty('ratelimit')
  })

  it('returns 429 above the limits of the account, without an entry in the request log', async () => {
    const account = await newAccount({ limits: { api_capacity: 3, api_refill_rate: 1 } })
    holdClock()
    for (let i = 0; i < 3; i++) expect((await account.call(getAccount)).status).toBe(200)
    const refused = await account.call(getAccount, { path: '/refused' })
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
    expect(refused.body.detail).toBe('Too many requests. Retry later.')
    expect(refused.headers.ratelimit).toBe('"account";r=0;t=3')
    vi.restoreAllMocks()
    await vi.waitUntil(async () => (await account.call(getAccount)).status === 200, { timeout: 60_000, interval: 500 })
    await vi.waitUntil(
      async () => {
        const { status, body } = await account.call(listLogs, { query: { type: 'api_request' } })
        if (status !== 200) return false
        expect(body.data.map(({ path }: { path: string }) => path)).not.toContain('/refused')
        return true
      },
      { timeout: 60_000, interval: 500 },
    )
  })
})
