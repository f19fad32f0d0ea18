import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { LiveApi } from '../api/live-api.ts'
import type { Settings } from '../settings/settings.ts'
import type { Own } from './own-metric.ts'
import { fiveMinutes, type Watch } from './watch.ts'
import { apiMetric } from './watch-api.ts'
import { watchSum } from './watch-jobs.ts'

/** What the channel counts by itself, and what the platform does. */
export const channelMetric = ({ id }: LiveApi, metricName: string, statistic = 'Sum') =>
  apiMetric(id, metricName, statistic)

/**
 * The live channel. Without it devices learn everything at their next heartbeat, so nothing of this is as urgent as the same of
 * the API. The pulse makes a handshake a minute, so none means that none gets through.
 */
export function watchLive(channel: LiveApi, own: Own, { liveRatePerSecond }: Settings): Watch[] {
  const runbook = 'live-channel.md'
  const toldBy = 'LiveSilent'
  const connections = channelMetric(channel, 'ConnectCount')
  return [
    {
      id: 'LiveFailing',
      metric: new MathExpression({
        // What a function answers for a fault of its own, and what it could not answer at all.
        expression: 'FILL(faults, 0) + FILL(errors, 0)',
        usingMetrics: {
          faults: own('faults', 'Sum', { class: 'live' }),
          errors: channelMetric(channel, 'ExecutionError'),
        },
        period: fiveMinutes,
        label: 'Faults of the live channel',
      }),
      when: { above: 10 },
      periods: 2,
      what: 'The functions of the live channel keep failing.',
      runbook,
      silence: { toldBy },
    },
    ...watchSum(
      { functions: channel.functions, metricName: 'Throttles', label: 'Throttled runs' },
      {
        id: 'LiveThrottled',
        when: { above: 10 },
        periods: 2,
        what: 'Lambda refuses to run functions of the live channel.',
        runbook: 'throttles.md',
        silence: { toldBy },
      },
    ),
    {
      id: 'LiveNearlyThrottled',
      metric: new MathExpression({
        expression: `100 * (FILL(connections, 0) + FILL(messages, 0)) / ${liveRatePerSecond * fiveMinutes.toSeconds()}`,
        usingMetrics: { connections, messages: channelMetric(channel, 'MessageCount') },
        period: fiveMinutes,
        label: 'Percent of what is allowed',
      }),
      when: { above: 80 },
      periods: 2,
      what: 'The live channel gets more than four fifths of the connections and messages that its stage lets through.',
      runbook: 'quotas.md',
      silence: { toldBy },
    },
    {
      id: 'DevicesNotTold',
      metric: new MathExpression({
        expression: 'IF(failed >= 20, 100 * failed / (failed + FILL(sent, 0)), 0)',
        usingMetrics: { failed: own('messages_failed', 'Sum'), sent: own('messages_sent', 'Sum') },
        period: fiveMinutes,
        label: 'Messages that did not leave, in percent',
      }),
      when: { above: 5 },
      periods: 3,
      what: 'More than one in twenty messages of the live channel do not reach the platform.',
      runbook,
      silence: { toldBy },
    },
    {
      id: toldBy,
      metric: connections.with({ period: fiveMinutes }),
      when: { below: 1 },
      periods: 3,
      what: 'No handshake reaches the live channel, not even that of the pulse.',
      runbook,
      silence: 'dead',
    },
  ]
}
