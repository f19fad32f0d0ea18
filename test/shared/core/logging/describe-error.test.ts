import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { describeError } from '#shared/core/logging/describe-error.ts'

it('names the error, its stack and its causes', () => {
  const told = describeError(new Error('outer', { cause: new TypeError('inner') }))
  expect(told).toMatchObject({ error: 'Error: outer', cause: { error: 'TypeError: inner' } })
  expect(told.stack).toContain('describe-error.test.ts')
})

it('omits deeper causes, and tolerates a cycle', () => {
  const circle = new Error('round')
  circle.cause = circle
  expect(JSON.stringify(describeError(circle)).match(/Error: round"/g)?.length).toBeLessThan(10)
})

it('lists the first errors of an AggregateError', () => {
  const told = describeError(
    new AggregateError(
      Array.from({ length: 40 }, (_, i) => new Error(`no. ${i}`)),
      'some',
    ),
  )
  expect(told).toMatchObject({ error: 'AggregateError: some', error_count: 40 })
  expect(told.errors?.map(({ error }) => error).slice(0, 2)).toEqual(['Error: no. 0', 'Error: no. 1'])
  expect(told.errors?.length).toBeLessThan(10)
})

it('lists each kind of error of an AggregateError, after any number of another kind', () => {
  const throttled = Array.from({ length: 40 }, () => Object.assign(new Error('slow'), { name: 'ThrottlingException' }))
  const told = describeError(new AggregateError([...throttled, new TypeError('a bug'), 'no error'], 'some'))
  expect(told.error_count).toBe(42)
  expect(told.errors?.map(({ error }) => error)).toEqual([
    'ThrottlingException: slow',
    'TypeError: a bug',
    'not an error object',
  ])
})

it('describes why AWS refused, without the written content', () => {
  const error = new TransactionCanceledException({
    message: 'cancelled',
    $metadata: { httpStatusCode: 400, requestId: 'AWS-1' },
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'The condition failed', Item: { email: { S: 'ada' } } },
    ],
  })
  const told = describeError(error)
  expect(told).toMatchObject({
    error: 'TransactionCanceledException: cancelled',
    aws: { status: 400, request_id: 'AWS-1' },
    reasons: ['None', 'ConditionalCheckFailed: The condition failed'],
  })
  expect(JSON.stringify(told)).not.toContain('ada')
})

it.each([
  [`naa_${'x'.repeat(107)}`, '[token]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJhY2NvdW50X2lk.c2lnbmF0dXJl', '[token]'],
  ['Bearer abc.def', 'Bearer [token]'],
  ['ada.lovelace+access@example.co.uk', '[email]'],
])('removes %s from error messages', (secret, instead) => {
  const told = describeError(new Error(`Unexpected ${secret} in "${secret}"`))
  expect(told.error).toBe(`Error: Unexpected ${instead} in "${instead}"`)
  expect(told.stack).not.toContain(secret)
})

it('accepts any thrown value', () => {
  for (const thrown of [undefined, null, 'text', { message: 'naa_' }, 7]) {
    expect(describeError(thrown)).toEqual({ error: 'not an error object' })
  }
})
