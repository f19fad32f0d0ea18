import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { fiveMinutes, type Watch } from './watch.ts'

export const apiMetric = (apiId: string, metricName: string, statistic: string) =>
  new Metric({ namespace: 'AWS/ApiGateway', metricName, statistic, dimensionsMap: { ApiId: apiId } })

/** The pulse asks the API once a minute, so no request means that none gets through. */
export function watchApi(apiId: string, throttled: Metric, refused: Metric): Watch[] {
  const requests = apiMetric(apiId, 'Count', 'Sum')
  const toldBy = 'ApiSilent'
  return [
    {
      id: 'ApiFaults',
      metric: new MathExpression({
        // A few faults among few requests are no reason to wake anybody.
        expression: 'IF(faults >= 5, 100 * faults / requests, 0)',
        usingMetrics: { faults: apiMetric(apiId, '5xx', 'Sum'), requests },
        period: fiveMinutes,
        label: 'Faults in percent',
      }),
      when: { above: 1 },
      periods: 2,
      what: 'More than 1 % of the API requests fail.',
      runbook: 'api-faults.md',
      silence: { toldBy },
    },
    {
      id: 'ApiSlow',
      metric: new MathExpression({
        expression: 'IF(requests >= 100, latency, 0)',
        usingMetrics: { latency: apiMetric(apiId, 'Latency', 'p99'), requests },
        period: fiveMinutes,
        label: 'p99 of the latency in milliseconds',
      }),
      when: { above: 3_000 },
      periods: 3,
      what: 'One request in a hundred takes more than three seconds.',
      runbook: 'api-slow.md',
      silence: { toldBy },
    },
    {
      id: 'ApiThrottled',
      metric: throttled,
      when: { above: 10 },
      periods: 2,
      what: 'Lambda refuses to run functions of the API.',
      runbook: 'throttles.md',
      silence: { toldBy },
    },
    {
      id: 'RequestsRefused',
      metric: refused.with({ period: fiveMinutes }),
      when: { above: 100 },
      periods: 2,
      what: 'API Gateway refuses requests: they exceed the limit of a route, of the stage or of the account.',
      runbook: 'throttles.md',
      silence: { toldBy },
    },
    {
      id: toldBy,
      metric: requests.with({ period: fiveMinutes }),
      when: { below: 1 },
      periods: 3,
      what: 'No request reaches the API, not even the pulse.',
      runbook: 'api-silent.md',
      silence: 'dead',
    },
  ]
}
