import { markdownTable } from '../measure/markdown-table.ts'
import { sum, usdOf } from '../measure/usage.ts'
import { type Billed, billedResources, inFront } from './billed-resources.ts'
import { lineBytes, logUsdOf } from './log-lines.ts'
import { prices } from './prices.ts'

/** Assumed usage of a scheduled run that finds no work: 50 ms, a few reads, and the write of the pulse. */
const run = sum([{ lambdaRequests: 1, lambdaGbMs: 90, readUnits: 10, writeUnits: 2 }, 1])

const monthOf: Record<keyof Billed, { what: string; usd: number }> = {
  shards: { what: 'shards of the flow stream', usd: prices.shardHour * 730 },
  keys: { what: 'KMS keys', usd: prices.keyMonth },
  secrets: { what: 'Secrets Manager secrets', usd: prices.secretMonth },
  alarmMetrics: { what: 'metrics that alarms watch', usd: prices.alarmMonth },
  dashboards: { what: 'dashboards', usd: prices.dashboardMonth },
  ownMetrics: { what: "the service's own metrics, at most", usd: prices.metricMonth },
  runs: { what: 'invocations by schedules', usd: usdOf(run) + logUsdOf(run) },
  webAcls: { what: 'web ACLs', usd: prices.webAclMonth },
  webAclRules: { what: 'web ACL rules', usd: prices.webAclRuleMonth },
}

const names = Object.keys(monthOf) as (keyof Billed)[]
const usdOfAll = (billed: Billed): number => names.reduce((usd, name) => usd + billed[name] * monthOf[name].usd, 0)
const dollars = (usd: number): string => usd.toFixed(2)
const count = (value: number): string => Math.round(value).toLocaleString('en-US')

/** Monthly costs of a deployment with default settings and without traffic, in USD. */
export const restUsd = async (): Promise<number> => usdOfAll(await billedResources())

export async function restText(): Promise<string> {
  const installs = [await billedResources(), await billedResources(inFront)]
  const rows = names.map((name) => [
    monthOf[name].what,
    ...installs.flatMap((billed) => [count(billed[name]), dollars(billed[name] * monthOf[name].usd)]),
  ])
  const sums = ['**sum**', ...installs.flatMap((billed) => ['', `**${dollars(usdOfAll(billed))}**`])]
  const { own, metrics, lambda, access } = lineBytes
  return `## At rest

The table lists the monthly cost of an installation that nobody uses. It compares the default settings with an installation behind CloudFront and
its web ACL. The quantities come from the templates.

${markdownTable(['Per month', 'By default', 'USD', 'With CloudFront', 'USD'], [...rows, sums])}
- **Alarms**: CloudWatch charges for each metric that an alarm watches. This includes each metric in an expression, and the metrics of the alarms
  that CodeDeploy reads. With the setting \`mailSender\`, alarms watch two more metrics.
- **The service's own metrics**: CloudWatch charges for the hours in which a metric has a value. With \`metrics=operations\`, each operation in use
  adds ${dollars(2 * prices.metricMonth)} USD.
- **The dashboard** is free of charge if it is one of the first three dashboards in the AWS account.
- **Invocations by schedules**: the figures assume that each invocation uses ${run.lambdaGbMs} GB-ms, ${run.readUnits} read units and ${run.writeUnits} write units.
- **Log lines** cost ${dollars(1e6 * logUsdOf({ lambdaRequests: 1, httpRequests: 1 }))} USD per million requests. A request writes ${own} bytes, including ${metrics} bytes for its metrics. Lambda adds about ${lambda} bytes, and
  the access log adds ${access}. With \`logLevel=WARN\`, a request writes only its metrics instead of the ${own} bytes.
`
}
