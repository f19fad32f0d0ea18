import { Duration } from 'aws-cdk-lib'
import { type AlarmProps, ComparisonOperator, type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { type MetricName, metrics } from '#shared/core/logging/metrics.ts'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Storage } from '../storage/storage.ts'

export type Watch = {
  id: string
  metric: IMetric
  when: Pick<AlarmProps, 'threshold' | 'evaluationPeriods' | 'comparisonOperator'>
  text: string
  runbook: string
  /** Alarm that goes off instead when this metric has no data; null if missing data raises this alarm itself. */
  coveredBy: string | null
}

export const above = (threshold: number, evaluationPeriods: number): Watch['when'] => ({ threshold, evaluationPeriods })

export const atZero = (evaluationPeriods: number): Watch['when'] => ({
  threshold: 1,
  evaluationPeriods,
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
})

type Common = Pick<Watch, 'runbook' | 'coveredBy'>

export const withDefaults = (common: Common, ...watches: (Omit<Watch, keyof Common> & Partial<Common>)[]): Watch[] =>
  watches.map((watch) => ({ ...common, ...watch }))

export const fiveMinutes = Duration.minutes(5)

export const computedMetric = (
  expression: string,
  usingMetrics: Record<string, IMetric>,
  label: string,
  period = fiveMinutes,
): MathExpression => new MathExpression({ expression, usingMetrics, period, label })

export type ServiceMetric = (metricName: MetricName, statistic?: string, by?: Record<string, string>) => Metric

export const createServiceMetric =
  (namespace: string): ServiceMetric =>
  (metricName, statistic = 'Sum', dimensionsMap = {}) =>
    new Metric({ namespace, metricName, statistic, dimensionsMap })

/** True for the service's own metrics, which a deployment with the setting `metrics=none` does not publish. */
export const isServiceMetric = (metric: IMetric): boolean =>
  metric instanceof MathExpression
    ? Object.values(metric.usingMetrics).every(isServiceMetric)
    : metric instanceof Metric && metric.metricName in metrics

const metricOf = (namespace: string, metricName: string, dimensionsMap: Record<string, string>, statistic = 'Sum') =>
  new Metric({ namespace, metricName, statistic, dimensionsMap })

export const apiMetric = (apiId: string, metricName: string, statistic?: string) =>
  metricOf('AWS/ApiGateway', metricName, { ApiId: apiId }, statistic)

/** Metric for the whole table. Not usable for `ThrottledRequests`, which exists only per operation. */
export const tableMetric = ({ table }: Storage, metricName: string) =>
  metricOf('AWS/DynamoDB', metricName, { TableName: table.tableName })

export const flowStreamMetric = ({ flows }: Storage, metricName: string) =>
  metricOf('AWS/Kinesis', metricName, { StreamName: flows.streamName })

export const mappingMetric = ({ mappingId }: ConsumedStream, metricName: string) =>
  metricOf('AWS/Lambda', metricName, { EventSourceMappingUUID: mappingId })

export const iteratorAge = ({ consumer }: ConsumedStream) => consumer.metric('IteratorAge', { statistic: 'Maximum' })

export const eventMetric = (mailer: IFunction, metricName: string): Metric =>
  mailer.metric(metricName, { statistic: 'Sum' })

/** Maximum number of metrics in an alarm on an expression. CloudWatch does not raise this limit (docs/decisions/0030). */
const maxMetrics = 10

/** Watches the sum of a metric over functions, with one alarm per ten functions. The ids of additional alarms are numbered. */
export const watchSum = (
  functions: IFunction[],
  metricName: string,
  label: string,
  watch: Omit<Watch, 'metric'>,
): Watch[] =>
  Array.from({ length: Math.ceil(functions.length / maxMetrics) }, (_, index) => {
    const group = functions.slice(index * maxMetrics, (index + 1) * maxMetrics)
    const parts = group.map((fn, i) => [`m${i}`, fn.metric(metricName, { statistic: 'Sum' })])
    const id = index === 0 ? watch.id : `${watch.id}${index + 1}`
    return { ...watch, id, metric: computedMetric('SUM(METRICS())', Object.fromEntries(parts), label) }
  })
