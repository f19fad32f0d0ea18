import { consumerNames, metrics } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import { refusals } from '#shared/sign-in/refusals/sign-in-refused.ts'
import { prices } from './prices.ts'

const combinations = { class: operationClasses.length, operation: consumerNames.length, reason: refusals.length }

/** The service's own metrics at the setting `classes`, and three that are made of lines: throttled and refused requests, stopped seals. */
const ownMetrics = 3 + Object.values(metrics).reduce((sum, { by }) => sum + (by === null ? 1 : combinations[by]), 0)

/** Metrics that alarms look at; test/infra/monitoring.test.ts holds it against the template. */
export const alarmMetrics = 84

/** Bytes of the lines that a request leaves: its own with and without metrics, three of Lambda, one of the access log. */
const lineBytes = { own: 640, metrics: 200, lambda: 350, access: 500 }

const dollars = (usd: number): string => usd.toFixed(2)

/** What is paid for knowing how the service is. */
export const watchCosts = (): string => {
  const { own, lambda, access } = lineBytes
  const lines = dollars(((own + lambda + access) / 1e3) * prices.logGb)
  return `- **Watching it** costs the same whatever the load, in a month: ${ownMetrics} metrics of the service's own, ${dollars(ownMetrics * prices.metricMonth)} USD with the setting
  \`metrics\` at \`classes\` (at \`operations\`, ${dollars(2 * prices.metricMonth)} USD more for each operation that is called); ${alarmMetrics} metrics that alarms look at,
  ${dollars(alarmMetrics * prices.alarmMonth)} USD, and two more with \`mailSender\`; the dashboard, 3 USD, and nothing as one of the first three of an AWS account; the
  pulse, about 0.20 USD.
- **Log lines**: a request leaves ${own} bytes, ${lineBytes.metrics} of them for its metrics, some ${lambda} of Lambda's own and ${access} in the access log:
  ${lines} USD a million requests. \`logLevel\` \`WARN\` leaves the metrics of the first alone.
`
}
