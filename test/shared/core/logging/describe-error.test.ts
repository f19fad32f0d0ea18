import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { describeError } from '#shared/core/logging/describe-error.ts'
import { tokenPrefixes } from '#shared/core/secrets/token.ts'

it('names the error, its stack and its causes', () => {
  const described = describeError(new Error('outer', { cause: new TypeError('inner') }))
  expect(described).toMatchObject({ error: 'Error: outer', cause: { error: 'TypeError: inner' } })
  expect(described.stack).toContain('describe-error.test.ts')
})

it('omits deeper causes, and tolerates a cycle', () => {
  const circle = new Error('round')
  circle.cause = circle
  expect(JSON.stringify(describeError(circle)).match(/Error: round"/g)?.length).toBeLessThan(10)
})

it('lists the first errors of an AggregateError', () => {
  const described = describeError(
    new AggregateError(
      Array.from({ length: 40 }, (_, i) => new Error(`no. ${i}`)),
      'some',
    ),
  )
  expect(described).toMatchObject({ error: 'AggregateError: some', error_count: 40 })
  expect(described.errors?.map(({ error }) => error).slice(0, 2)).toEqual(['Error: no. 0', 'Error: no. 1'])
  expect(described.errors?.length).toBeLessThan(10)
})

it('lists each kind of error of an AggregateError, after any number of another kind', () => {
  const throttled = Array.from({ length: 40 }, () => Object.assign(new Error('slow'), { name: 'ThrottlingException' }))
  const described = describeError(new AggregateError([...throttled, new TypeError('a bug'), 'no error'], 'some'))
  expect(described.error_count).toBe(42)
  expect(described.errors?.map(({ error }) => error)).toEqual([
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
  const described = describeError(error)
  expect(described).toMatchObject({
    error: 'TransactionCanceledException: cancelled',
    aws: { status: 400, request_id: 'AWS-1' },
    reasons: ['None', 'ConditionalCheckFailed: The condition failed'],
  })
  expect(JSON.stringify(described)).not.toContain('ada')
})

it.each([
  ...Object.values(tokenPrefixes).map((prefix) => [prefix + 'x'.repeat(107), '[token]']),
  ['eyJhbGciOiJIUzI1NiJ9.eyJhY2NvdW50X2lk.c2lnbmF0dXJl', '[token]'],
  ['Bearer abc.def', 'Bearer [token]'],
  ['ada.lovelace+access@example.co.uk', '[email]'],
])('removes %s from error messages', (secret, instead) => {
  const described = describeError(new Error(`Unexpected ${secret} in "${secret}"`))
  expect(described.error).toBe(`Error: Unexpected ${instead} in "${instead}"`)
  expect(described.stack).not.toContain(secret)
})

it('accepts any thrown value', () => {
  for (const thrown of [undefined, null, 'text', { message: 'naa_' }, 7]) {
    expect(describeError(thrown)).toEqual({ error: 'not an error object' })
  }
})
