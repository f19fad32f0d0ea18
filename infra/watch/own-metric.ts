import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { type MetricName, metrics } from '#shared/core/logging/metrics.ts'

export type Own = (metricName: MetricName, statistic: string, by?: Record<string, string>) => Metric

/** What the service measures of itself. */
export const ownMetric =
  (namespace: string): Own =>
  (metricName, statistic, dimensionsMap = {}) =>
    new Metric({ namespace, metricName, statistic, dimensionsMap })

/** Names of the metrics that one is made of. */
const namesIn = (metric: IMetric): string[] => {
  if (metric instanceof MathExpression) return Object.values(metric.usingMetrics).flatMap(namesIn)
  return metric instanceof Metric ? [metric.metricName] : []
}

/** Whether there is nothing to look at where a deployment makes no metrics of the service's own. */
export const isOwn = (metric: IMetric): boolean => namesIn(metric).every((name) => name in metrics)
