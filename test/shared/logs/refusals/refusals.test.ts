import { randomUUID } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock, hourMicros } from '#shared/core/clock.ts'
import {
  eraseRefusals,
  type RefusalRow,
  recordRefusal,
  refusalsOfLastDay,
  refusalsPartition,
  refusalTotalsPartition,
} from '#shared/logs/refusals/refusals.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const refusal = (fields: Partial<RefusalRow> = {}) => ({
  actor_id: randomUUID(),
  client_id: randomUUID(),
  resource_id: randomUUID(),
  reason: 'no_policy' as const,
  violated: [],
  ip: '192.0.2.1',
  ip_region: null,
  ...fields,
})
const rowsOf = (account: string) => queryItems<RefusalRow>(refusalsPartition(account))

describe('recordRefusal (K11.G9)', () => {
  it('loses no refusal when many are recorded at the same time', async () => {
    const account = randomUUID()
    const one = refusal()
    await Promise.all(Array.from({ length: 20 }, (_, i) => recordRefusal(account, one, clock.now() + i)))
    const counts = (await rowsOf(account)).map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
    expect(await refusalsOfLastDay(account)).toBe(20)
  })

  it('keeps the first time, and replaces the circumstances with those of the newest', async () => {
    const account = randomUUID()
    const at = Math.floor(clock.now() / hourMicros) * hourMicros
    const one = refusal({ reason: 'conditions_violated', violated: ['remote_ip'] })
    await recordRefusal(account, one, at + 1_000)
    await recordRefusal(
      account,
      { ...one, violated: ['client_verified'], ip: '192.0.2.9', ip_region: 'PL' },
      at + 2_000,
    )
    const [row, ...others] = await rowsOf(account)
    expect(others).toEqual([])
    expect(row).toMatchObject({ count: 2, violated: ['client_verified'], ip: '192.0.2.9', ip_region: 'PL' })
    expect([row?.first_at.slice(-8), row?.last_at.slice(-8)]).toEqual(['.001000Z', '.002000Z'])
    expect(row?.ttl).toBe((at + hourMicros) / 1_000_000 + 90 * 86_400)
  })

  it('folds unknown resources into one row, and separates hours, clients, resources and reasons', async () => {
    const account = randomUUID()
    const now = clock.now()
    const one = refusal()
    for (let i = 0; i < 3; i++)
      await recordRefusal(account, { ...one, resource_id: randomUUID(), reason: 'unknown_resource' }, now)
    for (const other of [one, { ...one, client_id: randomUUID() }, { ...one, resource_id: randomUUID() }])
      await recordRefusal(account, other, now)
    await recordRefusal(account, { ...one, reason: 'gateway_offline' }, now)
    await recordRefusal(account, one, now - hourMicros)
    const rows = await rowsOf(account)
    expect(rows).toHaveLength(6)
    expect(rows.filter(({ resource_id }) => resource_id === null)).toMatchObject([{ count: 3 }])
    expect(await queryItems(refusalTotalsPartition(account))).toMatchObject([{ count: 1 }, { count: 7 }])
  })

  it.each([
    ['fails', () => Promise.reject(Object.assign(new Error('Wait.'), { name: 'ThrottlingException' }))],
    ['does not end', () => new Promise<never>(() => {})],
  ])('changes no response if it %s, and is counted in a metric', async (_name, write) => {
    const world = await newAccessWorld()
    await world.startSession()
    const expected = await world.ask({ resource_id: randomUUID() })
    const log = catchLog()
    interceptTable((command, send) =>
      command instanceof UpdateCommand && String(command.input.Key?.pk).includes('#log.refusals')
        ? write()
        : send(command),
    )
    const answer = await world.ask({ resource_id: randomUUID() })
    expect([answer.status, { ...answer.body, request_id: '' }]).toEqual([404, { ...expected.body, request_id: '' }])
    expect(log.lines()).toEqual([
      expect.objectContaining({ event: 'refusal_not_recorded', level: 'WARN' }),
      expect.objectContaining({ event: 'request', status: 404, refusals_unrecorded: 1 }),
    ])
  })
})

describe('refusalsOfLastDay', () => {
  it('counts the current hour and the 23 hours before it', async () => {
    const account = randomUUID()
    const now = clock.now()
    for (const hours of [0, 0, 1, 23, 24, 30]) await recordRefusal(account, refusal(), now - hours * hourMicros)
    expect(await refusalsOfLastDay(account)).toBe(4)
    expect(await refusalsOfLastDay(randomUUID())).toBe(0)
  })
})

describe('eraseRefusals (R12.4)', () => {
  it('deletes the rows of the actor only, and keeps the totals', async () => {
    const account = randomUUID()
    const [erased, kept] = [refusal(), refusal()]
    const now = clock.now()
    for (const one of [erased, kept, { ...erased, client_id: randomUUID() }]) await recordRefusal(account, one, now)
    await eraseRefusals(account, erased.actor_id)
    await eraseRefusals(account, erased.actor_id)
    expect((await rowsOf(account)).map(({ actor_id }) => actor_id)).toEqual([kept.actor_id])
    expect(await refusalsOfLastDay(account)).toBe(3)
  })
})
