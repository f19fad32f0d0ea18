import { expect, it } from 'vitest'
import { isTransient, mayBeDone } from '#shared/core/transient-error.ts'

const namedError = (name: string, fields: object = {}) =>
  Object.assign(new Error('said the service'), { name, ...fields })
const fetchFailed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
const cancelled = (...codes: string[]) =>
  namedError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

it.each([
  // Errors that Kinesis returns with a customer managed key, and DynamoDB with a replicated table.
  namedError('KMSThrottlingException'),
  namedError('ReplicatedWriteConflictException'),
  namedError('TooManyRequestsException'),
  namedError('Error', { $metadata: { httpStatusCode: 503 } }),
  namedError('Error', { code: 'ECONNRESET' }),
  fetchFailed('ECONNRESET'),
])('%s is retryable, and its write may have been executed', (error) => {
  expect([isTransient(error), mayBeDone(error)]).toEqual([true, true])
})

it.each([
  namedError('AccessDeniedException'),
  namedError('ResourceNotFoundException'),
  namedError('ValidationException'),
  namedError('KMSDisabledException'),
  namedError('TransactionCanceledException'),
  cancelled('None'),
  cancelled('TransactionConflict', 'SomethingNew'),
  fetchFailed('ERR_INVALID_URL'),
  new TypeError('undefined is not a function'),
  null,
])('%s is not retryable', (error) => {
  expect([isTransient(error), mayBeDone(error)]).toEqual([false, false])
})

it('a cancelled transaction was not executed', () => {
  expect([isTransient(cancelled('TransactionConflict')), mayBeDone(cancelled('TransactionConflict'))]).toEqual([
    true,
    false,
  ])
})
