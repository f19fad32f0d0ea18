import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-log.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { remove, writeTogether } from '#shared/table/write-together.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { LockedBucket } from '#test/support/seal/locked-bucket.ts'
import { advanceMinutes, sealWorld } from '#test/support/seal/sealing.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { failTable } from '#test/support/table/table-faults.ts'

/** Number of days for which a deployment guarantees that objects are locked, and number of days for which a run locks them. */
const [promised, lockDays] = [400, 800]

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let bucket: LockedBucket
let ids: string[]

beforeEach(async () => {
  ownTable = await useOwnTable()
  sealWorld()
  bucket = new LockedBucket(lockDays)
  ids = [randomUUID(), randomUUID(), randomUUID()].sort()
  await insertAll(ids.map(sealedAccountItem))
  for (const id of ids) for (let size = 1; size < 4; size++) bucket.put(`${id}/changes/checkpoints/${size}`)
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  await ownTable.end()
})

const laterByDays = (days: number) => advanceMinutes(days * 24 * 60)
const run = (deadline = Date.now() + 60_000) => renewLocks(deadline)
const puts = () =>
  bucket.requests.filter((request) => request.startsWith('PUT ')).map((request) => request.split(' ')[1])

/**
 * Returns the shortest remaining lock of any object on each day, in days. The task runs every day, except on days for which `isDown` is
 * true.
 */
async function leastLocks(days: number, isDown: (day: number) => boolean = () => false): Promise<number[]> {
  const least: number[] = []
  for (let day = 1; day <= days; day++) {
    laterByDays(1)
    if (day % 50 === 0) bucket.put(`${ids[1]}/activity/tile/0/${day}`)
    if (!isDown(day)) await run()
    least.push(Math.min(...Object.values(bucket.lockedDays())))
  }
  return least
}

describe('the locks of the sealed logs', () => {
  it('never fall below the guaranteed days while the task runs', async () => {
    expect(Math.min(...(await leastLocks(800)))).toBeGreaterThanOrEqual(promised)
  })

  it('never fall below the guaranteed days when the task fails for a month at a due renewal', async () => {
    await run()
    expect(Math.min(...(await leastLocks(500, (day) => day >= 365 && day < 395)))).toBeGreaterThanOrEqual(promised)
  })

  it('are renewed once a year, those of new objects only in the next pass', async () => {
    await run()
    bucket.requests.length = 0
    laterByDays(364)
    await run()
    expect(puts()).toEqual([])
    bucket.put(`${ids[0]}/changes/checkpoints/9`)
    laterByDays(1)
    vi.spyOn(clock, 'now').mockReturnValue(clock.now())
    await run()
    expect(puts()).toHaveLength(10)
    bucket.put(`${ids[0]}/changes/checkpoints/10`)
    expect(new Set(Object.values(bucket.lockedDays()))).toEqual(new Set([lockDays]))
    bucket.requests.length = 0
    await run()
    expect(bucket.requests).toEqual(['GET object-lock'])
  })

  it('are extended for an object behind a delete marker, but not for replaced checkpoints', async () => {
    const [hidden, copied] = [`${ids[0]}/changes/tile/0/000`, `${ids[0]}/changes/checkpoint`]
    const [tile] = [bucket.put(hidden), bucket.put(copied), bucket.put(copied)]
    bucket.hide(hidden)
    laterByDays(366)
    await run()
    const locked = bucket.lockedDays()
    expect(locked[`${hidden} ${tile.id}`]).toBeGreaterThan(lockDays - 2)
    const [old = 0, newest = 0] = bucket.of(copied).map(({ id }) => locked[`${copied} ${id}`])
    expect([old < lockDays - 364, newest > lockDays - 2]).toEqual([true, true])
  })

  it('are not extended for a deleted account', async () => {
    await writeTogether([remove({ pk: 'service#sealed', sk: String(ids[1]) })])
    laterByDays(366)
    await run()
    const renewed = Object.entries(bucket.lockedDays()).filter(([, days]) => days > lockDays - 2)
    expect(renewed.map(([name]) => name.slice(0, 36))).toEqual([ids[0], ids[2]].flatMap((id) => [id, id, id]))
  })

  it('are extended at once when a deployment guarantees more days', async () => {
    await run()
    const more = new LockedBucket(2_900)
    more.versions.push(...bucket.versions)
    laterByDays(1)
    await run()
    expect(Math.min(...Object.values(more.lockedDays()))).toBeGreaterThan(2_898)
  })

  it('stay unchanged when one is longer than the days guaranteed now', async () => {
    const [object] = bucket.versions
    if (!object) throw new Error('The bucket is empty.')
    const until = new Date(object.putAt.getTime() + 5_000 * 86_400_000)
    object.until = until
    laterByDays(366)
    await run()
    expect(object.until).toBe(until)
    expect(bucket.requests).toContain(`GET ${object.key} retention`)
    expect(Object.values(bucket.lockedDays()).filter((days) => days < lockDays - 2)).toEqual([])
  })
})

describe('a renewal that is interrupted', () => {
  it('resumes at its page and account', async () => {
    bucket.pageLength = 2
    const start = clock.monotonic()
    const time = vi.spyOn(clock, 'monotonic')
    // Lets the deadline pass after each page.
    bucket.fault = (request) => {
      if (request.endsWith('versions')) time.mockReturnValue(start + 1)
      return undefined
    }
    let runs = 0
    for (let before = -1; puts().length > before; runs++) {
      before = puts().length
      time.mockReturnValue(start)
      await run(start + 1)
    }
    // Expects seven runs: two for each of the three accounts, which have two pages each, and a final run without work.
    expect(runs).toBe(7)
    expect(puts()).toEqual(bucket.versions.map(({ key }) => key))
  })

  it('repeats a page whose progress was not stored, with the same end of the lock', async () => {
    let isOver = false
    failTable('InternalServerError', (command) => !isOver && command instanceof PutCommand)
    const sleep = vi.spyOn(clock, 'sleep').mockRejectedValue(new Error('The run is over.'))
    await expect(run()).rejects.toThrow()
    isOver = true
    sleep.mockRestore()
    const first = bucket.versions.map(({ until }) => until)
    await run()
    expect(bucket.versions.map(({ until }) => until && until >= (first[0] ?? 0))).toEqual(
      bucket.versions.map(() => true),
    )
    expect(Math.min(...Object.values(bucket.lockedDays()))).toBeGreaterThan(lockDays - 2)
  })

  it('tolerates two concurrent runs', async () => {
    laterByDays(366)
    await Promise.all([run(), run()])
    expect(Math.min(...Object.values(bucket.lockedDays()))).toBeGreaterThan(lockDays - 2)
    bucket.requests.length = 0
    await run()
    expect(puts()).toEqual([])
  })

  it('retries when S3 throttles, and leaves the remaining objects to the next run if that persists', async () => {
    vi.spyOn(clock, 'sleep').mockImplementation(async () => undefined)
    const slow = () => new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
    let answers = 3
    bucket.fault = (request) => (request.startsWith('PUT') && answers-- > 0 ? slow() : undefined)
    await run()
    expect(puts()).toHaveLength(12)
    laterByDays(366)
    bucket.fault = (request) => (request.startsWith(`PUT ${ids[1]}`) ? slow() : undefined)
    await expect(run()).rejects.toMatchObject({ name: 'SlowDown' })
    bucket.fault = () => undefined
    bucket.requests.length = 0
    await run()
    // Expects no requests for the first account, which the previous run completed.
    expect(new Set(puts().map((key = '') => key.slice(0, 36)))).toEqual(new Set([ids[1], ids[2]]))
    expect(Math.min(...Object.values(bucket.lockedDays()))).toBeGreaterThan(lockDays - 2)
  })

  it('skips versions that were deleted meanwhile', async () => {
    bucket.fault = (request) =>
      request.endsWith('3 retention')
        ? new Response('<Error><Code>NoSuchVersion</Code></Error>', { status: 404 })
        : undefined
    await run()
    expect(puts()).toHaveLength(9)
  })

  it('fails while an object cannot be locked', async () => {
    laterByDays(366)
    bucket.fault = (request) =>
      request.startsWith('PUT') ? new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 }) : undefined
    await expect(run()).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  it('fails when a pass takes more than 20 days', async () => {
    await run(0)
    laterByDays(19)
    await run(0)
    laterByDays(2)
    await expect(run(0)).rejects.toThrow('The renewal of the locks of the sealed logs has taken more than 20 days.')
  })

  it('logs its completion', async () => {
    const caught = catchLog()
    await run()
    expect(caught.lines()).toMatchObject([{ event: 'locks_renewed', objects: 9, days: lockDays }])
  })
})

describe('a bucket with a default lock that is too short', () => {
  it.each([
    ['no lock at all', null, 0],
    ['no default', '', 0],
    ['a rule that somebody can bypass', '<Mode>GOVERNANCE</Mode><Days>9000</Days>', 0],
    ['fewer days', '<Mode>COMPLIANCE</Mode><Days>799</Days>', 799],
    ['fewer years', '<Mode>COMPLIANCE</Mode><Years>2</Years>', 730],
  ])('has the run fail: %s', async (_name, rule, days) => {
    bucket.rule = rule
    const sentence = `The default retention of the bucket sealed must be at least 800 days, in compliance mode; it is ${days} days.`
    await expect(run()).rejects.toThrow(sentence)
    expect(puts()).toEqual([])
  })

  it('gets a new pass when the default lock is fixed', async () => {
    await run()
    const { rule } = bucket
    bucket.rule = null
    await expect(run()).rejects.toThrow()
    const brief = bucket.put(`${ids[2]}/changes/tile/0/000`, null)
    bucket.rule = rule
    laterByDays(1)
    await run()
    expect(brief.until).not.toBeNull()
    expect(Math.min(...Object.values(bucket.lockedDays()))).toBeGreaterThan(lockDays - 2)
  })

  it('accepts a default lock in years', async () => {
    bucket.rule = '<Mode>COMPLIANCE</Mode><Years>3</Years>'
    await run()
    expect(puts()).toHaveLength(9)
  })
})

it.each(['SEAL_LOCK_DAYS', 'SEAL_FOLDER'])('does nothing without locks: %s', async (variable) => {
  vi.stubEnv(variable, variable === 'SEAL_LOCK_DAYS' ? '0' : '/tmp/folder')
  await run()
  expect(bucket.requests).toEqual([])
  expect(await ownTable.items('service#seal.locks')).toEqual([])
})
