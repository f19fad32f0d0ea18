import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { MetricName } from '#shared/core/logging/metrics.ts'

export type Own = (metricName: MetricName, statistic: string, by?: Record<string, string>) => Metric

/** What the service measures of itself. */
export const ownMetric =
  (namespace: string): Own =>
  (metricName, statistic, dimensionsMap = {}) =>
    new Metric({ namespace, metricName, statistic, dimensionsMap })
