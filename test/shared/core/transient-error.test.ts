import { expect, it } from 'vitest'
import { isTransient, mayBeDone } from '#shared/core/transient-error.ts'

const named = (name: string, fields: object = {}) => Object.assign(new Error('said the service'), { name, ...fields })
const fetchFailed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
const cancelled = (...codes: string[]) =>
  named('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

it.each([
  // Kinesis, of a stream that is encrypted with a key of its own; DynamoDB, of a table that several regions write.
  named('KMSThrottlingException'),
  named('ReplicatedWriteConflictException'),
  named('TooManyRequestsException'),
  named('Error', { $metadata: { httpStatusCode: 503 } }),
  named('Error', { code: 'ECONNRESET' }),
  fetchFailed('ECONNRESET'),
])('%s may pass, and whether its write was done is not known', (error) => {
  expect([isTransient(error), mayBeDone(error)]).toEqual([true, true])
})

it.each([
  named('AccessDeniedException'),
  named('ResourceNotFoundException'),
  named('ValidationException'),
  named('KMSDisabledException'),
  named('TransactionCanceledException'),
  cancelled('None'),
  cancelled('TransactionConflict', 'SomethingNew'),
  fetchFailed('ERR_INVALID_URL'),
  new TypeError('undefined is not a function'),
  null,
])('%s would end the same way again', (error) => {
  expect([isTransient(error), mayBeDone(error)]).toEqual([false, false])
})

it('knows that a cancelled transaction was not done', () => {
  expect([isTransient(cancelled('TransactionConflict')), mayBeDone(cancelled('TransactionConflict'))]).toEqual([
    true,
    false,
  ])
})
