import { describe, expect, it } from 'vitest'
import { compileFilters, readMapping } from '#infra/template/mapping.ts'

const matches = (pattern: object, record: unknown) => compileFilters([JSON.stringify(pattern)])(record)

describe('filter patterns', () => {
  const record = {
    eventName: 'INSERT',
    dynamodb: { NewImage: { kind: { S: 'commit' }, count: { N: '7' } }, SizeBytes: 40 },
  }

  it.each([
    [{ eventName: ['INSERT', 'MODIFY'] }, true],
    [{ eventName: ['REMOVE'] }, false],
    [{ eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['commit'] } } } }, true],
    [{ eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['entity'] } } } }, false],
    [{ dynamodb: { OldImage: [null] } }, false],
  ])('%j matches %s', (pattern, expected) => {
    expect(matches(pattern, record)).toBe(expected)
  })

  it('accepts everything without a filter, and treats several filters as alternatives', () => {
    expect(compileFilters([])(record)).toBe(true)
    expect(compileFilters(['{"eventName":["REMOVE"]}', '{"eventName":["INSERT"]}'])(record)).toBe(true)
  })

  it('refuses an unknown operator', () => {
    expect(() => compileFilters(['{"a":[{"cidr":"10.0.0.0/8"}]}'])).toThrow('operator of a')
  })
})

describe('event source mappings', () => {
  const properties = { FunctionName: 'f', EventSourceArn: 's', StartingPosition: 'LATEST' }

  it("has Lambda's defaults", () => {
    expect(readMapping('M', properties)).toMatchObject({
      batchSize: 100,
      bisect: false,
      maxRetries: -1,
      maxAgeSeconds: -1,
      parallel: 1,
      reportsItemFailures: false,
      onFailure: null,
    })
  })

  it('reads every supported setting', () => {
    const all = {
      ...properties,
      BatchSize: 10,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 5,
      MaximumRecordAgeInSeconds: 3600,
      ParallelizationFactor: 2,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:us-east-1:000000000000:bucket/failed' } },
    }
    expect(readMapping('M', all)).toMatchObject({
      batchSize: 10,
      bisect: true,
      maxRetries: 5,
      maxAgeSeconds: 3600,
      parallel: 2,
      reportsItemFailures: true,
      onFailure: 'arn:aws:s3:us-east-1:000000000000:bucket/failed',
    })
  })

  it.each([
    [{ TumblingWindowInSeconds: 10 }, 'TumblingWindowInSeconds'],
    [{ MaximumBatchingWindowInSeconds: 1 }, 'MaximumBatchingWindowInSeconds'],
    [{ EventSourceArn: 'arn:aws:kinesis:x:y:stream/z', FilterCriteria: { Filters: [] } }, 'a filter'],
    [{ StartingPosition: 'AT_TIMESTAMP' }, 'AT_TIMESTAMP'],
    [{ FunctionResponseTypes: ['Other'] }, 'FunctionResponseTypes.0, "Other"'],
    [{ DestinationConfig: { OnSuccess: {} } }, 'DestinationConfig.OnSuccess'],
    [
      { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:x:y:z' } } },
      'OnFailure.Destination, "arn:aws:sqs:x:y:z"',
    ],
  ])('refuses an unsupported setting: %j', (change, message) => {
    expect(() => readMapping('M', { ...properties, ...change })).toThrow(message)
  })
})
