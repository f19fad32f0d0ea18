import { beforeEach, expect, it } from 'vitest'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { handler as verify } from '#functions/tasks/verify-change-log.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { replayCommits } from '#shared/jobs/replay/replay-commits.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertRow } from '#test/support/accounts/rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeEach(async () => {
  account = await newAccount()
  for (let i = 0; i < 3; i++) await insertRow(account.id, sites, { name: `Site ${i}`, managed_by: 'account' })
})

const consumers: Record<string, (event: never) => Promise<unknown>> = { log: writeChangeLog, follow: followUp }
const begin = '2020-01-01T00:00:00Z'
const event = (fields: object = {}) => ({ account_id: account.id, begin, consumers: Object.keys(consumers), ...fields })
/** Invokes a consumer with a JSON copy of the event, as Lambda does. */
const invoke = async (name: string, records: object) => consumers[name]?.(JSON.parse(JSON.stringify(records)) as never)
const damages = async () => {
  const answer = (await verify({ account_id: account.id, end: timestamp(clock.now()) })) as never
  return (answer as { data: { damages: unknown[] } }).data.damages
}

it('writes missing entries after their stream has expired, and no duplicates', async () => {
  expect((await damages()).length).toBeGreaterThan(3)
  expect(await replayCommits(event(), invoke)).toEqual({ commits: 4, kept: [], next: null })
  expect(await damages()).toEqual([])
  expect((await replayCommits(event(), invoke)).commits).toBe(4)
  expect(await damages()).toEqual([])
})

it('resumes after a timeout', async () => {
  const { next } = await replayCommits(event(), invoke, () => false)
  expect(next).not.toBeNull()
  expect(await replayCommits(event({ begin: next }), invoke)).toMatchObject({ commits: 4, next: null })
  expect(await damages()).toEqual([])
})

it('names the record that a consumer cannot process, and passes on the others', async () => {
  const failing = async (name: string, given: { Records: unknown[] }) => {
    if (JSON.stringify(given).includes('Site 1')) throw new Error('Not this one.')
    return invoke(name, given)
  }
  const { kept } = await replayCommits(event({ consumers: ['log'] }), failing)
  expect(kept).toEqual([{ sequence: 3, consumer: 'log', reason: 'Not this one.' }])
  expect(await damages()).toHaveLength(1)
})

it.each([
  [{ account_id: 'x' }, 'account_id must be a UUID.'],
  [{ begin: 'then' }, 'begin must be an RFC 3339 timestamp.'],
  [{ end: 7 }, 'end must be an RFC 3339 timestamp.'],
  [{ consumers: [] }, 'consumers must be a list of function ARNs.'],
])('refuses %j', async (fields, detail) => {
  await expect(replayCommits(event(fields), invoke)).rejects.toMatchObject({ code: 'bad_request', detail })
})
