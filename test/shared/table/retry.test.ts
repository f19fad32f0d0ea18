import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { inWorkTime } from '#shared/core/work/work.ts'
import type { Key } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { engineError } from '#test/support/table/intercept-engine.ts'
import { refuseRequests } from '#test/support/table/refuse-requests.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const always = Number.POSITIVE_INFINITY
const newKey = () => ({ pk: `retry#${crypto.randomUUID()}`, sk: 'item' })
const item = () => ({ ...newKey(), kind: 'test' })
const stored = ({ pk, sk }: Key) => getItem({ pk, sk })
const putPlain = (Item: object) => table().send(new PutCommand({ TableName: tableName(), Item }))

const cancelled = (...codes: string[]) =>
  engineError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

describe('a request to the table is retried after', () => {
  it.each([
    ['TransactionConflictException', 400],
    ['TransactionInProgressException', 400],
    ['ReplicatedWriteConflictException', 400],
    ['ThrottlingException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['RequestLimitExceeded', 400],
    ['InternalServerError', 500],
    ['ServiceUnavailable', 503],
  ])('%s', async (type, status) => {
    countWaiting()
    const expected = item()
    const { attempts } = await refusing(7, engineError(type, {}, status), 'PutItem', () => putPlain(expected))
    expect(attempts).toBe(8)
    expect(await stored(expected)).toEqual(expected)
  })

  it.each([
    ['conflicted with another', ['None', 'TransactionConflict']],
    ['was throttled', ['ThrottlingError', 'None']],
    ['exceeded the capacity', ['None', 'ProvisionedThroughputExceeded']],
  ])('a transaction that %s', async (_what, codes) => {
    countWaiting()
    const expected = [item(), item()]
    const write = () => writeTogether(expected.map(put))
    const { attempts, result } = await refusing(5, cancelled(...codes), 'TransactWriteItems', write)
    expect([attempts, result]).toEqual([6, 'done'])
    for (const one of expected) expect(await stored(one)).toEqual(one)
  })
})

async function refusing<T>(count: number, error: ReturnType<typeof engineError>, operation: string, work: () => T) {
  const requests = refuseRequests(count, error, (request) => request.operation === operation)
  const result = await work()
  return { result, attempts: requests.matched }
}

describe('a request to the table is not retried after', () => {
  it.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException', 'UnrecognizedClientException'])(
    '%s, and fails with its message',
    async (type) => {
      const seen = refuseRequests(always, engineError(type), ({ operation }) => operation === 'PutItem')
      await expect(putPlain(item())).rejects.toMatchObject({ name: type, message: `${type} said the table` })
      expect(seen.matched).toBe(1)
    },
  )

  it('a transaction with a failed condition, in addition to a conflict', async () => {
    const error = cancelled('ConditionalCheckFailed', 'TransactionConflict')
    const { attempts, result } = await refusing(always, error, 'TransactWriteItems', () => writeTogether([put(item())]))
    expect([attempts, result]).toEqual([1, 'conflict'])
  })

  it.each([
    ['would fail again', cancelled('None', 'ItemCollectionSizeLimitExceeded')],
    ['gives no reason', cancelled()],
  ])('a transaction that %s', async (_what, error) => {
    const seen = refuseRequests(always, error, () => true)
    await expect(writeTogether([put(item()), put(item())])).rejects.toThrow('said the table')
    expect(seen.matched).toBe(1)
  })
})

describe('a request to the table', () => {
  it('is abandoned after the deadline of its work', async () => {
    const waited = countWaiting()
    refuseRequests(always, engineError('TransactionConflictException'), () => true)
    await expect(inWorkTime(3_000, () => putPlain(item()))).rejects.toThrow()
    expect(waited.ms).toBeLessThanOrEqual(3_000)
    expect(waited.ms).toBeGreaterThan(1_000)
  })

  it('has the same client token on every attempt, so that a transaction is executed once', async () => {
    const tokens: unknown[] = []
    refuseRequests(
      2,
      engineError('InternalServerError', {}, 500),
      ({ input }) => tokens.push(input.ClientRequestToken) > 0,
    )
    await table().send(new TransactWriteCommand({ TransactItems: [put(item())] }))
    expect(tokens).toHaveLength(3)
    expect(new Set(tokens).size).toBe(1)
  })
})

describe('an API request', () => {
  it.each([
    ['on record', 'BatchExecuteStatement'],
    ['committed', 'TransactWriteItems'],
    ['read', 'Query'],
  ])(
    'that AWS denies before it is %s is 500 after one attempt, with the cause in the log',
    async (_when, operation) => {
      const account = await newAccount()
      const log = catchLog()
      const denied = engineError('AccessDeniedException')
      const seen = refuseRequests(always, denied, (request) => request.operation === operation)
      const answer =
        operation === 'Query'
          ? await account.call(listGroups)
          : await account.call(createGroup, { method: 'POST', body: { group: { name: 'Denied' } } })
      expect([answer.status, answer.body.detail]).toEqual([500, 'An unexpected error occurred.'])
      expect(seen.matched).toBe(1)
      expect(log.lines().find(({ event }) => event === 'unexpected_error')).toMatchObject({
        error: 'AccessDeniedException: AccessDeniedException said the table',
        aws: { status: 400, request_id: 'TESTREQUESTID' },
      })
      expect(answer.text).not.toContain('AccessDenied')
    },
  )
})
