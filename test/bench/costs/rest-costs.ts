import { markdownTable } from '../measure/markdown-table.ts'
import { sum, usdOf } from '../measure/usage.ts'
import { type Billed, billedResources, inFront } from './billed-resources.ts'
import { lineBytes, logUsdOf } from './log-lines.ts'
import { prices } from './prices.ts'

/** Assumed load of a run of a schedule that finds nothing to do: 50 ms, a few reads, and a write of the pulse. */
const run = sum([{ lambdaRequests: 1, lambdaGbMs: 90, readUnits: 10, writeUnits: 2 }, 1])

const monthOf: Record<keyof Billed, { what: string; usd: number }> = {
  shards: { what: 'shards of the flow stream', usd: prices.shardHour * 730 },
  keys: { what: 'keys', usd: prices.keyMonth },
  secrets: { what: 'secrets', usd: prices.secretMonth },
  alarmMetrics: { what: 'metrics that alarms look at', usd: prices.alarmMonth },
  dashboards: { what: 'dashboards', usd: prices.dashboardMonth },
  ownMetrics: { what: "metrics of the service's own, at most", usd: prices.metricMonth },
  runs: { what: 'runs of schedules', usd: usdOf(run) + logUsdOf(run) },
  webAcls: { what: 'web ACLs', usd: prices.webAclMonth },
  webAclRules: { what: 'rules of the web ACL', usd: prices.webAclRuleMonth },
}

const names = Object.keys(monthOf) as (keyof Billed)[]
const usdOfAll = (billed: Billed): number => names.reduce((usd, name) => usd + billed[name] * monthOf[name].usd, 0)
const dollars = (usd: number): string => usd.toFixed(2)
const count = (value: number): string => Math.round(value).toLocaleString('en-US')

/** Monthly costs of an install with default settings that nobody uses. */
export const restUsd = async (): Promise<number> => usdOfAll(await billedResources())

/** Costs of an install at rest: with default settings, and with CloudFront and its web ACL in front. */
export async function restText(): Promise<string> {
  const installs = [await billedResources(), await billedResources(inFront)]
  const rows = names.map((name) => [
    monthOf[name].what,
    ...installs.flatMap((billed) => [count(billed[name]), dollars(billed[name] * monthOf[name].usd)]),
  ])
  const sums = ['**sum**', ...installs.flatMap((billed) => ['', `**${dollars(usdOfAll(billed))}**`])]
  const { own, metrics, lambda, access } = lineBytes
  return `## At rest

What an install costs in a month in which nobody uses it, counted in its templates: with default settings, and with CloudFront and its web
ACL in front.

${markdownTable(['A month', 'By default', 'USD', 'With CloudFront', 'USD'], [...rows, sums])}
- An alarm is paid for by the **metrics** that it looks at: each one in an expression, and those of alarms that CodeDeploy looks at. Metrics of the
  service's own are paid for by the hours in which they have a value. With the setting \`metrics\` at \`operations\` each operation that is
  called adds ${dollars(2 * prices.metricMonth)} USD; with \`mailSender\` alarms look at two more. A dashboard costs nothing as one of the first three of an AWS account.
- A **run of a schedule** is taken to use ${run.lambdaGbMs} GB-ms, ${run.readUnits} read units and ${run.writeUnits} write units.
- **Log lines**: a request leaves ${own} bytes, ${metrics} of them for its metrics, some ${lambda} of Lambda's own and ${access} in the access log:
  ${dollars(1e6 * logUsdOf({ lambdaRequests: 1, httpRequests: 1 }))} USD a million requests. \`logLevel\` \`WARN\` leaves the metrics of the first alone.
`
}
