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
  what: string
  runbook: string
  /**
   * Alarm that tells whether the subject lives, where no data means that nothing of the kind has happened; null where no data
   * means that the subject is dead, which the alarm says then.
   */
  toldBy: string | null
}

/** The metric is above this for so many periods in a row. */
export const above = (threshold: number, evaluationPeriods: number): Watch['when'] => ({ threshold, evaluationPeriods })

/** The metric is 0 for so many periods in a row. */
export const noDataMeansOk = (evaluationPeriods: number): Watch['when'] => ({
  threshold: 1,
  evaluationPeriods,
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
})

type Common = Pick<Watch, 'runbook' | 'toldBy'>

/** Watches of one subject, with what most of them have in common. */
export const alike = (common: Common, ...watches: (Omit<Watch, keyof Common> & Partial<Common>)[]): Watch[] =>
  watches.map((watch) => ({ ...common, ...watch }))

export const fiveMinutes = Duration.minutes(5)

/** A metric computed from others; `label` names its unit. */
export const computed = (
  expression: string,
  usingMetrics: Record<string, IMetric>,
  label: string,
  period = fiveMinutes,
): MathExpression => new MathExpression({ expression, usingMetrics, period, label })

export type OwnMetric = (metricName: MetricName, statistic?: string, by?: Record<string, string>) => Metric

/** Metrics that the service makes of its own lines, under this namespace. */
export const ownMetric =
  (namespace: string): OwnMetric =>
  (metricName, statistic = 'Sum', dimensionsMap = {}) =>
    new Metric({ namespace, metricName, statistic, dimensionsMap })

/** True for a metric that does not exist in a deployment without the service's own metrics. */
export const isOwn = (metric: IMetric): boolean =>
  metric instanceof MathExpression
    ? Object.values(metric.usingMetrics).every(isOwn)
    : metric instanceof Metric && metric.metricName in metrics

const metricOf = (namespace: string, metricName: string, dimensionsMap: Record<string, string>, statistic = 'Sum') =>
  new Metric({ namespace, metricName, statistic, dimensionsMap })

export const apiMetric = (apiId: string, metricName: string, statistic?: string) =>
  metricOf('AWS/ApiGateway', metricName, { ApiId: apiId }, statistic)

/** A metric of the table as a whole. `ThrottledRequests` is none: it is of each kind of request. */
export const tableMetric = ({ table }: Storage, metricName: string) =>
  metricOf('AWS/DynamoDB', metricName, { TableName: table.tableName })

export const flowStreamMetric = ({ flows }: Storage, metricName: string) =>
  metricOf('AWS/Kinesis', metricName, { StreamName: flows.streamName })

export const mappingMetric = ({ mappingId }: ConsumedStream, metricName: string) =>
  metricOf('AWS/Lambda', metricName, { EventSourceMappingUUID: mappingId })

export const ageOf = ({ consumer }: ConsumedStream) => consumer.metric('IteratorAge', { statistic: 'Maximum' })

export const eventMetric = (mailer: IFunction, metricName: string): Metric =>
  mailer.metric(metricName, { statistic: 'Sum' })

/** Maximum number of metrics of an alarm on an expression: a hard limit of CloudWatch (decision 0030). */
const maxMetrics = 10

/** Alarms on a metric of several functions: the first has the id as it is, each further ten functions add a numbered one. */
export const watchSum = (
  functions: IFunction[],
  metricName: string,
  label: string,
  watch: Omit<Watch, 'metric'>,
): Watch[] =>
  Array.from({ length: Math.ceil(functions.length / maxMetrics) }, (_, index) => {
    const part = functions.slice(index * maxMetrics, (index + 1) * maxMetrics)
    const parts = part.map((one, at) => [`m${at}`, one.metric(metricName, { statistic: 'Sum' })])
    const id = index === 0 ? watch.id : `${watch.id}${index + 1}`
    return { ...watch, id, metric: computed('SUM(METRICS())', Object.fromEntries(parts), label) }
  })
