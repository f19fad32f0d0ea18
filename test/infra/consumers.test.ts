import { beforeAll, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

let templates: Templates
let mappings: Resource[]
beforeAll(async () => {
  templates = await templatesOf([])
  mappings = templates.all('AWS::Lambda::EventSourceMapping')
})

/** The mapping that feeds the function with this handler. */
function feeding(handler: string): Resource['Properties'] {
  const [id] =
    templates.entries('AWS::Lambda::Function').find(([, { Properties }]) => Properties.Handler === handler) ?? []
  const found = mappings.filter(({ Properties }) => templates.invoked(Properties.FunctionName) === id)
  expect(found).toHaveLength(1)
  return (found[0] as Resource).Properties
}

it('cuts every failing batch down, ends its retries, and keeps it whole', () => {
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

it('keeps a failing record before its stream drops it', () => {
  for (const { Properties } of mappings) {
    expect(Properties.MaximumRecordAgeInSeconds).toBeGreaterThanOrEqual(60)
    expect(Properties.MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600)
  }
})

it('takes one batch of commits at a time, in order, and flows in four lanes with a CPU each', () => {
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

it('waits for no batch to fill, since a flow and a change must be seen within two seconds', () => {
  for (const { Properties } of mappings) expect(Properties.MaximumBatchingWindowInSeconds ?? 0).toBeLessThanOrEqual(1)
})

const commits = { eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['commit'] } } } }
const endedAuthorizations = { eventName: ['REMOVE'], dynamodb: { OldImage: { kind: { S: ['authorization'] } } } }

it.each([
  ['streams/write-change-log.handler', [commits]],
  ['streams/follow-up.handler', [commits, endedAuthorizations]],
])('gives %s what it works with only', (handler, wanted) => {
  const { EventSourceArn, FilterCriteria } = feeding(handler)
  expect(EventSourceArn).toEqual({
    'Fn::GetAtt': [templates.entries('AWS::DynamoDB::GlobalTable')[0]?.[0], 'StreamArn'],
  })
  expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual(wanted)
})

it('gives store-flow-logs all of the flow stream', () => {
  const { EventSourceArn, FilterCriteria } = feeding('streams/store-flow-logs.handler')
  expect(EventSourceArn).toEqual({ 'Fn::GetAtt': [templates.entries('AWS::Kinesis::Stream')[0]?.[0], 'Arn'] })
  expect(FilterCriteria).toBeUndefined()
})

it("reads the table's stream twice: DynamoDB throttles a shard that more than two processes read", () => {
  const [table] = templates.entries('AWS::DynamoDB::GlobalTable')
  const streamArn = { 'Fn::GetAtt': [table?.[0], 'StreamArn'] }
  const readers = mappings.filter(
    ({ Properties }) => JSON.stringify(Properties.EventSourceArn) === JSON.stringify(streamArn),
  )
  expect(readers).toHaveLength(2)
})
