import { markdownTable } from '../measure/markdown-table.ts'
import { sum, usdOf } from '../measure/usage.ts'
import { type Billed, billedResources, inFront } from './billed-resources.ts'
import { lineBytes, logUsdOf } from './log-lines.ts'
import { prices } from './prices.ts'

/** Assumed usage of a scheduled run without work: 50 ms, a few reads, and the write of the pulse. */
const run = sum([{ lambdaRequests: 1, lambdaGbMs: 90, readUnits: 10, writeUnits: 2 }, 1])

const monthOf: Record<keyof Billed, { what: string; usd: number }> = {
  shards: { what: 'shards of the flow stream', usd: prices.shardHour * 730 },
  keys: { what: 'keys', usd: prices.keyMonth },
  secrets: { what: 'secrets', usd: prices.secretMonth },
  alarmMetrics: { what: 'metrics that alarms watch', usd: prices.alarmMonth },
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

/** Monthly costs of an install with default settings and without traffic, in USD. */
export const restUsd = async (): Promise<number> => usdOfAll(await billedResources())

/** Describes the costs of an install at rest: with default settings, and with CloudFront and a web ACL. */
export async function restText(): Promise<string> {
  const installs = [await billedResources(), await billedResources(inFront)]
  const rows = names.map((name) => [
    monthOf[name].what,
    ...installs.flatMap((billed) => [count(billed[name]), dollars(billed[name] * monthOf[name].usd)]),
  ])
  const sums = ['**sum**', ...installs.flatMap((billed) => ['', `**${dollars(usdOfAll(billed))}**`])]
  const { own, metrics, lambda, access } = lineBytes
  return `## At rest

The table lists the monthly cost of an install that nobody uses, with default settings, and with CloudFront and its web ACL in front. The
quantities are counted in the templates.

${markdownTable(['Per month', 'By default', 'USD', 'With CloudFront', 'USD'], [...rows, sums])}
- **Alarms** are charged per metric that they watch: each metric in an expression, and the metrics of the alarms that CodeDeploy reads. With
  the setting \`mailSender\`, alarms watch two more metrics.
- **The service's own metrics** are charged by the hours in which they have a value. With the setting \`metrics\` at \`operations\`, each
  operation that is called adds ${dollars(2 * prices.metricMonth)} USD.
- **The dashboard** is free of charge if it is one of the first three of an AWS account.
- **A run of a schedule** is assumed to use ${run.lambdaGbMs} GB-ms, ${run.readUnits} read units and ${run.writeUnits} write units.
- **Log lines** cost ${dollars(1e6 * logUsdOf({ lambdaRequests: 1, httpRequests: 1 }))} USD per million requests. A request writes ${own} bytes, of which ${metrics} are its metrics. Lambda adds some ${lambda} bytes,
  and the access log ${access}. With \`logLevel\` at \`WARN\`, only the metrics remain of the ${own} bytes.
`
}
