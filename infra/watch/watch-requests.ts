import type { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { LiveApi } from '../api/live-api.ts'
import type { Settings } from '../settings/settings.ts'
import {
  above,
  alike,
  apiMetric,
  computed,
  fiveMinutes,
  noDataMeansOk,
  type OwnMetric,
  type Watch,
  watchSum,
} from './watch.ts'

/** The pulse asks the API once a minute, so no request means that none gets through. */
export function watchApi(apiId: string, throttled: Metric, refused: Metric): Watch[] {
  const requests = apiMetric(apiId, 'Count')
  return alike(
    { runbook: 'throttles.md', toldBy: 'ApiSilent' },
    {
      id: 'ApiFaults',
      metric: computed(
        // A few faults among few requests are no reason to wake anybody.
        'IF(faults >= 5, 100 * faults / requests, 0)',
        { faults: apiMetric(apiId, '5xx'), requests },
        'Faults in percent',
      ),
      when: above(1, 2),
      what: 'More than 1 % of the API requests fail.',
      runbook: 'api-faults.md',
    },
    {
      id: 'ApiSlow',
      metric: computed(
        'IF(requests >= 100, latency, 0)',
        { latency: apiMetric(apiId, 'Latency', 'p99'), requests },
        'p99 of the latency in milliseconds',
      ),
      when: above(3_000, 3),
      what: 'One request in a hundred takes more than three seconds.',
      runbook: 'api-slow.md',
    },
    { id: 'ApiThrottled', metric: throttled, when: above(10, 2), what: 'Lambda refuses to run functions of the API.' },
    {
      id: 'RequestsRefused',
      metric: refused.with({ period: fiveMinutes }),
      when: above(100, 2),
      what: 'API Gateway refuses requests: they exceed the limit of a route, of the stage or of the account.',
    },
    {
      id: 'ApiSilent',
      metric: requests.with({ period: fiveMinutes }),
      when: noDataMeansOk(3),
      what: 'No request reaches the API, not even the pulse.',
      runbook: 'api-silent.md',
      toldBy: null,
    },
  )
}

/**
 * The live channel. Without it devices learn everything at their next heartbeat, so nothing of this is as urgent as the same of
 * the API. The pulse makes a handshake a minute, so none means that none gets through.
 */
export function watchLive(channel: LiveApi, own: OwnMetric, { liveRatePerSecond }: Settings): Watch[] {
  const connections = apiMetric(channel.id, 'ConnectCount')
  return alike(
    { runbook: 'live-channel.md', toldBy: 'LiveSilent' },
    {
      id: 'LiveFailing',
      metric: computed(
        // Faults that a function answered, and calls that it could not answer at all.
        'FILL(faults, 0) + FILL(errors, 0)',
        { faults: own('faults', 'Sum', { class: 'live' }), errors: apiMetric(channel.id, 'ExecutionError') },
        'Faults of the live channel',
      ),
      when: above(10, 2),
      what: 'The functions of the live channel keep failing.',
    },
    ...watchSum(channel.functions, 'Throttles', 'Throttled runs', {
      id: 'LiveThrottled',
      when: above(10, 2),
      what: 'Lambda refuses to run functions of the live channel.',
      runbook: 'throttles.md',
      toldBy: 'LiveSilent',
    }),
    {
      id: 'LiveNearlyThrottled',
      metric: computed(
        `100 * (FILL(connections, 0) + FILL(messages, 0)) / ${liveRatePerSecond * fiveMinutes.toSeconds()}`,
        { connections, messages: apiMetric(channel.id, 'MessageCount') },
        'Percent of what is allowed',
      ),
      when: above(80, 2),
      what: 'The live channel gets more than four fifths of the connections and messages that its stage lets through.',
      runbook: 'quotas.md',
    },
    {
      id: 'DevicesNotTold',
      metric: computed(
        'IF(failed >= 20, 100 * failed / (failed + FILL(sent, 0)), 0)',
        { failed: own('messages_failed'), sent: own('messages_sent') },
        'Messages that did not leave, in percent',
      ),
      when: above(5, 3),
      what: 'More than one in twenty messages of the live channel do not reach the platform.',
    },
    {
      id: 'LiveSilent',
      metric: connections.with({ period: fiveMinutes }),
      when: noDataMeansOk(3),
      what: 'No handshake reaches the live channel, not even that of the pulse.',
      toldBy: null,
    },
  )
}
