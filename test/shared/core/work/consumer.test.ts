import type { KinesisStreamEvent } from 'aws-lambda'
import { afterEach, expect, it, vi } from 'vitest'
import { consumer } from '#shared/core/work/consumer.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const recordsWithAges = (...ages: number[]) =>
  ages.map((age) => ({ kinesis: { approximateArrivalTimestamp: Date.now() / 1_000 - age } }))

async function lineOf(Records: object[], failures: { itemIdentifier: string }[] = []) {
  const log = catchLog()
  const answer = { batchItemFailures: failures }
  const handler = consumer('store-flow-logs', async (_event: KinesisStreamEvent) => answer)
  expect(await handler({ Records } as KinesisStreamEvent)).toBe(answer)
  return log.lines()[0]
}

it('measures the number of records and the delay of the oldest', async () => {
  const line = await lineOf(recordsWithAges(90, 2))
  expect(line).toMatchObject({ event: 'run', operation: 'store-flow-logs', records: 2 })
  expect(line).not.toHaveProperty('failed')
  expect(line?.lag_ms).toBeGreaterThanOrEqual(90_000)
  expect(line?.lag_ms).toBeLessThan(150_000)
})

it('reads the time of a table stream, and reports a failed batch', async () => {
  const records = [{ dynamodb: { ApproximateCreationDateTime: Math.floor(Date.now() / 1_000) - 5 } }]
  const line = await lineOf(records, [{ itemIdentifier: '1' }])
  expect(line).toMatchObject({ records: 1, failed: true })
  expect(line?.lag_ms).toBeGreaterThanOrEqual(5_000)
})

it('measures nothing for records without a time', async () => {
  expect(await lineOf([{ dynamodb: {} }])).not.toHaveProperty('lag_ms')
})
