import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import { fiveMinutes, type Watch } from './watch.ts'
import { apiMetric } from './watch-api.ts'
import { flowStreamMetric, tableMetric } from './watch-table.ts'

const seconds = fiveMinutes.toSeconds()
/** What a provisioned shard takes in a second. */
const shard = { bytes: 1_048_576, records: 1_000 }

const percentOf = (expression: string, usingMetrics: Record<string, IMetric>): MathExpression =>
  new MathExpression({ expression, usingMetrics, period: fiveMinutes, label: 'Percent of what is allowed' })

/** The larger share of two things that each have a bound for five minutes. */
const largerShare = (one: [IMetric, number], other: [IMetric, number]): MathExpression => {
  const [first, second] = [`FILL(first, 0) / ${one[1] * seconds}`, `FILL(second, 0) / ${other[1] * seconds}`]
  const usingMetrics = { first: one[0], second: other[0] }
  return percentOf(`100 * IF(${first} > ${second}, ${first}, ${second})`, usingMetrics)
}

/** Bounds of the account and of the deployment, told while there is time to raise them: at four fifths. */
export function watchQuotas(apiId: string, storage: Storage, settings: Settings, reserved: number): Watch[] {
  const lambda = (metricName: string) => new Metric({ namespace: 'AWS/Lambda', metricName, statistic: Stats.MAXIMUM })
  const used = new Metric({
    namespace: 'AWS/Usage',
    metricName: 'ResourceCount',
    statistic: Stats.MAXIMUM,
    dimensionsMap: { Service: 'Lambda', Type: 'Resource', Resource: 'ConcurrentExecutions', Class: 'None' },
  })
  const { accountRequests, tableUnits, flowStreamShards: shards } = settings
  const near = { when: { above: 80 }, periods: 2, runbook: 'quotas.md' } as const
  const flows: Watch = {
    ...near,
    id: 'FlowStreamNearlyFull',
    metric: largerShare(
      [flowStreamMetric(storage, 'IncomingBytes'), shard.bytes * Number(shards)],
      [flowStreamMetric(storage, 'IncomingRecords'), shard.records * Number(shards)],
    ),
    what: 'The flow stream gets more than four fifths of what its shards take.',
    silence: { toldBy: 'PulseFailing' },
  }
  return [
    {
      ...near,
      id: 'ConcurrencyNearlyUsed',
      // Claimed is what runs without a reservation and all that is reserved, in use or not. Reservations of this service do not grow.
      metric: percentOf(`100 * (claimed - ${reserved}) / (SERVICE_QUOTA(used) - ${reserved})`, {
        claimed: lambda('ClaimedAccountConcurrency'),
        used,
      }),
      what: 'The account uses more than four fifths of the functions that it may run at once beside those reserved here.',
      silence: { toldBy: 'ApiSilent' },
    },
    {
      ...near,
      id: 'ApiNearlyThrottled',
      metric: percentOf(`100 * requests / ${accountRequests * seconds}`, {
        requests: apiMetric(apiId, 'Count', 'Sum'),
      }),
      what: 'The API gets more than four fifths of the requests that the quota of the account lets through.',
      silence: { toldBy: 'ApiSilent' },
    },
    {
      ...near,
      id: 'TableNearQuota',
      metric: largerShare(
        [tableMetric(storage, 'ConsumedReadCapacityUnits'), tableUnits],
        [tableMetric(storage, 'ConsumedWriteCapacityUnits'), tableUnits],
      ),
      what: 'The table takes more than four fifths of the units that its quota allows.',
      silence: { toldBy: 'PulseFailing' },
    },
    ...(shards === 'on-demand' ? [] : [flows]),
  ]
}
