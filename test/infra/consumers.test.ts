import { beforeAll, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

let templates: Templates
let mappings: Resource[]
beforeAll(async () => {
  templates = await templatesOf([])
  mappings = templates.all('AWS::Lambda::EventSourceMapping')
})

function feeding(handler: string): Resource['Properties'] {
  const [id] =
    templates.entries('AWS::Lambda::Function').find(([, { Properties }]) => Properties.Handler === handler) ?? []
  const found = mappings.filter(({ Properties }) => templates.functionOfAlias(Properties.FunctionName) === id)
  expect(found).toHaveLength(1)
  return (found[0] as Resource).Properties
}

it('bisects failing batches, limits retries, and stores the batch', () => {
  const bucket = { 'Fn::GetAtt': [templates.entries('AWS::S3::Bucket')[0]?.[0], 'Arn'] }
  expect(mappings).toHaveLength(3)
  for (const { Properties } of mappings) {
    expect(Properties).toMatchObject({
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10,
      StartingPosition: 'TRIM_HORIZON',
      DestinationConfig: { OnFailure: { Destination: bucket } },
    })
  }
})

it('stores a failing record before it expires in the stream', () => {
  for (const { Properties } of mappings) {
    expect(Properties.MaximumRecordAgeInSeconds).toBeGreaterThanOrEqual(60)
    expect(Properties.MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600)
  }
})

it('processes one batch of commits at a time, in order, and flows in four parallel batches with a CPU each', () => {
  const factors = ['write-change-log', 'follow-up', 'store-flow-logs'].map((name) => {
    const { BatchSize, ParallelizationFactor } = feeding(`streams/${name}.handler`)
    return [BatchSize, ParallelizationFactor]
  })
  expect(factors).toEqual([
    [100, 1],
    [100, 1],
    [100, 4],
  ])
  const { Properties } = templates
    .all('AWS::Lambda::Function')
    .find((made) => made.Properties.Handler === 'streams/store-flow-logs.handler') as Resource
  expect(Properties.MemorySize).toBe(1_769)
})

it('does not wait for full batches, because flows and changes must be visible within two seconds', () => {
  for (const { Properties } of mappings) expect(Properties.MaximumBatchingWindowInSeconds ?? 0).toBeLessThanOrEqual(1)
})

const commits = { eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['commit'] } } } }
const endedAuthorizations = { eventName: ['REMOVE'], dynamodb: { OldImage: { kind: { S: ['authorization'] } } } }

it.each([
  ['streams/write-change-log.handler', [commits]],
  ['streams/follow-up.handler', [commits, endedAuthorizations]],
])('passes only relevant records to %s', (handler, patterns) => {
  const { EventSourceArn, FilterCriteria } = feeding(handler)
  expect(EventSourceArn).toEqual({
    'Fn::GetAtt': [templates.entries('AWS::DynamoDB::GlobalTable')[0]?.[0], 'StreamArn'],
  })
  expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual(patterns)
})

it('passes the whole flow stream to store-flow-logs', () => {
  const { EventSourceArn, FilterCriteria } = feeding('streams/store-flow-logs.handler')
  expect(EventSourceArn).toEqual({ 'Fn::GetAtt': [templates.entries('AWS::Kinesis::Stream')[0]?.[0], 'Arn'] })
  expect(FilterCriteria).toBeUndefined()
})

it("has two readers of the table's stream, the maximum before DynamoDB throttles", () => {
  const [table] = templates.entries('AWS::DynamoDB::GlobalTable')
  const streamArn = { 'Fn::GetAtt': [table?.[0], 'StreamArn'] }
  const readers = mappings.filter(
    ({ Properties }) => JSON.stringify(Properties.EventSourceArn) === JSON.stringify(streamArn),
  )
  expect(readers).toHaveLength(2)
})
