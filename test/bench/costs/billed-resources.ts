import { loadOperations } from '#functions/operations.ts'
import { consumerNames, metrics } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import { refusals } from '#shared/sign-in/refusals/sign-in-refused.ts'
import { type Resource, templatesOf } from '#test/support/service/templates.ts'

/** Resources, counted in the templates, that AWS bills even without traffic. */
export type Billed = {
  shards: number
  keys: number
  secrets: number
  /** Number of metrics that alarms evaluate, including each metric in an expression. */
  alarmMetrics: number
  dashboards: number
  /** Number of custom metrics extracted from log lines. */
  ownMetrics: number
  /** Number of scheduled invocations per month. */
  runs: number
  webAcls: number
  webAclRules: number
}

const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/a`
/** Settings for CloudFront with a web ACL. */
export const inFront = {
  domainName: 'access.example.com',
  certificateArn: certificate('eu-central-1'),
  frontCertificateArn: certificate('us-east-1'),
}

const monthMinutes = 730 * 60
const minutesOf: Record<string, number> = { minute: 1, hour: 60, day: 1_440 }

/**
 * Returns a schedule's invocations per month. Counts a cron expression with a fixed time as daily.
 * @throws Error if the expression has a different form
 */
function runsOf(expression: string): number {
  const [, every, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  if (every) return monthMinutes / (Number(every) * (minutesOf[unit] ?? Number.NaN))
  if (/^cron\(\d+ \d+ /.test(expression)) return monthMinutes / 1_440
  throw new Error(`Unsupported schedule expression: ${expression}`)
}

const metricsIn = ({ Properties: { Metrics } }: Resource): number =>
  Metrics ? Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length : 1

const combinations = { class: operationClasses.length, operation: consumerNames.length, reason: refusals.length }

/** Number of metrics in log lines with the setting `classes`, one per dimension value. */
const metricsInLines = Object.values(metrics).reduce((sum, { by }) => sum + (by === null ? 1 : combinations[by]), 0)

export async function billedResources(context: Record<string, unknown> = {}): Promise<Billed> {
  const { all } = await templatesOf(await loadOperations(), context)
  const total = (type: string, of: (resource: Resource) => number): number =>
    all(type).reduce((sum, resource) => sum + of(resource), 0)
  return {
    shards: total('AWS::Kinesis::Stream', ({ Properties }) => Properties.ShardCount),
    keys: all('AWS::KMS::Key').length,
    secrets: all('AWS::SecretsManager::Secret').length,
    alarmMetrics: total('AWS::CloudWatch::Alarm', metricsIn),
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    ownMetrics: metricsInLines + all('AWS::Logs::MetricFilter').length,
    runs: total('AWS::Events::Rule', ({ Properties }) => runsOf(Properties.ScheduleExpression)),
    webAcls: all('AWS::WAFv2::WebACL').length,
    webAclRules: total('AWS::WAFv2::WebACL', ({ Properties }) => Properties.Rules.length),
  }
}
