import type { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { LiveApi } from '../api/live-api.ts'
import type { Settings } from '../settings/settings.ts'
import {
  above,
  apiMetric,
  atZero,
  computedMetric,
  fiveMinutes,
  type ServiceMetric,
  type Watch,
  watchSum,
  withDefaults,
} from './watch.ts'

/** Watches the HTTP API. The pulse sends a request every minute, so a lack of requests means that none gets through. */
export function watchApi(apiId: string, throttled: Metric, refused: Metric): Watch[] {
  const requests = apiMetric(apiId, 'Count')
  return withDefaults(
    { runbook: 'throttles.md', coveredBy: 'ApiSilent' },
    {
      id: 'ApiFaults',
      metric: computedMetric(
        // Requires at least five faults, so that a few faults among few requests raise no alarm.
        'IF(faults >= 5, 100 * faults / requests, 0)',
        { faults: apiMetric(apiId, '5xx'), requests },
        'Faults in percent',
      ),
      when: above(1, 2),
      text: 'For 10 minutes more than 1 % of the API requests have failed with a 5xx status. Callers get errors and may retry.',
      runbook: 'api-faults.md',
    },
    {
      id: 'ApiSlow',
      metric: computedMetric(
        'IF(requests >= 100, latency, 0)',
        { latency: apiMetric(apiId, 'Latency', 'p99'), requests },
        'p99 of the latency in milliseconds',
      ),
      when: above(3_000, 3),
      text: 'For 15 minutes the slowest 1 % of the API requests have taken more than 3 seconds. Callers wait; nothing is lost.',
      runbook: 'api-slow.md',
    },
    {
      id: 'ApiThrottled',
      metric: throttled,
      when: above(10, 2),
      text: 'For 10 minutes Lambda has throttled functions of the API. Some callers get 503 and may retry.',
    },
    {
      id: 'RequestsRefused',
      metric: refused.with({ period: fiveMinutes }),
      when: above(100, 2),
      text: 'For 10 minutes API Gateway has rejected requests above the limit of a route, the stage or the AWS account. Callers get 429 and may retry.',
    },
    {
      id: 'ApiSilent',
      metric: requests.with({ period: fiveMinutes }),
      when: atZero(3),
      text: 'For 15 minutes no request has reached the API, not even the pulse that the service sends each minute. Devices lose access after three heartbeats.',
      runbook: 'api-silent.md',
      coveredBy: null,
    },
  )
}

/**
 * Watches the live channel. It is less urgent than the API, because devices without a channel get all changes at their next heartbeat. The
 * pulse makes one handshake every minute, so a lack of handshakes means that none gets through.
 */
export function watchLive(channel: LiveApi, serviceMetric: ServiceMetric, { liveRatePerSecond }: Settings): Watch[] {
  const connections = apiMetric(channel.id, 'ConnectCount')
  return withDefaults(
    { runbook: 'live-channel.md', coveredBy: 'LiveSilent' },
    {
      id: 'LiveFailing',
      metric: computedMetric(
        // Adds up the faults that functions report and the invocations that failed.
        'FILL(faults, 0) + FILL(errors, 0)',
        { faults: serviceMetric('faults', 'Sum', { class: 'live' }), errors: apiMetric(channel.id, 'ExecutionError') },
        'Faults of the live channel',
      ),
      when: above(10, 2),
      text: 'For 10 minutes functions of the live channel have failed. Devices receive changes with their next heartbeat instead.',
    },
    ...watchSum(channel.functions, 'Throttles', 'Throttled runs', {
      id: 'LiveThrottled',
      when: above(10, 2),
      text: 'For 10 minutes Lambda has throttled functions of the live channel. Devices receive changes with their next heartbeat instead.',
      runbook: 'throttles.md',
      coveredBy: 'LiveSilent',
    }),
    {
      id: 'LiveNearlyThrottled',
      metric: computedMetric(
        `100 * (FILL(connections, 0) + FILL(messages, 0)) / ${liveRatePerSecond * fiveMinutes.toSeconds()}`,
        { connections, messages: apiMetric(channel.id, 'MessageCount') },
        'Percent of the limit',
      ),
      when: above(80, 2),
      text: 'For 10 minutes connections and messages of the live channel have used more than 80 % of its limit. Above the limit they are rejected.',
      runbook: 'quotas.md',
    },
    {
      id: 'DevicesNotNotified',
      metric: computedMetric(
        'IF(failed >= 20, 100 * failed / (failed + FILL(sent, 0)), 0)',
        { failed: serviceMetric('messages_failed'), sent: serviceMetric('messages_sent') },
        'Failed messages in percent',
      ),
      when: above(5, 3),
      text: 'For 15 minutes API Gateway has rejected more than 5 % of the messages to devices. These devices receive changes with their next heartbeat.',
    },
    {
      id: 'LiveSilent',
      metric: connections.with({ period: fiveMinutes }),
      when: atZero(3),
      text: 'For 15 minutes no handshake has reached the live channel, not even that of the pulse. Devices receive changes with their next heartbeat instead.',
      coveredBy: null,
    },
  )
}
