import type { Construct } from 'constructs'
import { defaultSettings } from '#shared/core/env.ts'
import { type LogLevel, logLevels } from '#shared/core/log.ts'
import { metricSettings } from '#shared/core/metrics.ts'

/** The choices of a deployment, by CDK context (`cdk deploy -c flowStreamShards=2`). */
export type Settings = {
  /** Name of the service's stack, and the beginning of the others' and of every name that CloudFormation makes up. */
  stackName: string
  /** Beginning of the names that are spelled out; made of the stack's name unless said otherwise. */
  prefix: string
  /** False for a trial: what holds data goes with its stack, and nothing protects it. */
  keepData: boolean
  /** Stream of a table that is there already, which is used instead of one of the deployment's own. */
  tableStreamArn: string | null
  /** Flow stream that is there already. */
  flowStreamArn: string | null
  /** Name of a bucket of failed batches that is there already. */
  failuresBucket: string | null
  /** Service secret that is there already. */
  serviceSecretArn: string | null
  /** Region that the service secret is copied to; null for none. */
  secretReplicaRegion: string | null
  /** Backup vault of another account or region that backups of the table are copied to; null for no backups. */
  backupVaultArn: string | null
  /** How long backups and their copies are kept. */
  backupDays: number
  /** Address that callers use; the API's own unless there is a domain in front. */
  baseUrl: string | null
  logRetentionDays: number
  flowRetentionDays: number
  heartbeatSecs: number
  /** The least level of what functions write for the operator. */
  logLevel: LogLevel
  /** What the service's own metrics are told apart by: classes of operations, operations too, or none are made. */
  metrics: (typeof metricSettings)[number]
  /** Whether AWS X-Ray traces the functions. */
  tracing: boolean
  /** Issuer of the workspace suite that people sign in with. */
  suiteIssuer: string
  /** Secret of Secrets Manager that a CDN in front proves itself with (P8.2); null without a CDN. */
  cdnSecretArn: string | null
  /** Address that alarms are mailed to; null for none. */
  alarmEmail: string | null
  /** Address that mails to administrators come from, verified in Amazon SES; null for no mails. */
  mailSender: string | null
  /** Provisioned shards of the flow stream, or `on-demand`. */
  flowStreamShards: number | 'on-demand'
}

/** A setting with a bad value, and the rule that it breaks. */
export class SettingError extends Error {
  readonly setting: string
  readonly rule: string

  constructor(setting: string, rule: string) {
    super(`The context value ${setting} must be ${rule}.`)
    this.setting = setting
    this.rule = rule
  }
}

/** A hundred years: times before 1970 and ends of rows stay within what the table and a date hold. */
const maxRetentionDays = 36_500

/** `NetworkAccess` → `network-access`, as an address or a path spells it. */
const spelled = (name: string): string =>
  name
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .slice(0, 32)

export function readSettings(scope: Construct): Settings {
  const context = (name: string): unknown => scope.node.tryGetContext(name)
  const integer = (name: string, fallback: number): number => {
    const value = context(name)
    if (value === undefined) return fallback
    if (!/^[1-9]\d*$/.test(String(value))) throw new SettingError(name, 'a positive integer')
    return Number(value)
  }
  const text = (name: string): string | null => {
    const value = context(name) ?? null
    return value === null ? null : String(value)
  }
  const days = (name: string, fallback: number): number => {
    const value = integer(name, fallback)
    if (value > maxRetentionDays) throw new SettingError(name, `at most ${maxRetentionDays}`)
    return value
  }
  const matching = (name: string, pattern: RegExp, rule: string): string | null => {
    const value = text(name)
    if (value !== null && !pattern.test(value)) throw new SettingError(name, rule)
    return value
  }
  const flag = (name: string, fallback: boolean): boolean => {
    const value = String(context(name) ?? fallback)
    if (value !== 'true' && value !== 'false') throw new SettingError(name, 'true or false')
    return value === 'true'
  }
  const stackName =
    matching('stackName', /^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter and up to 63 letters, digits and hyphens') ??
    'NetworkAccess'
  const prefix = matching('prefix', /^[a-z][a-z0-9-]{0,31}$/, 'a small letter and up to 31 of them, digits and hyphens')
  const wholeSecretArn = (name: string) =>
    matching(
      name,
      /^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/,
      'the whole ARN of a secret, with its six last characters',
    )
  const cdnSecretArn = wholeSecretArn('cdnSecretArn')
  const mailSender = text('mailSender')
  if (mailSender !== null && !/^[^@\s]+@[^@\s]+$/.test(mailSender)) {
    throw new SettingError('mailSender', 'an address like access@example.com')
  }
  const wantedLevel = text('logLevel') ?? 'INFO'
  const logLevel = logLevels.find((level) => level === wantedLevel)
  if (logLevel === undefined) {
    throw new SettingError('logLevel', `one of ${logLevels.join(', ')}`)
  }
  const wantedMetrics = text('metrics') ?? 'classes'
  const metrics = metricSettings.find((setting) => setting === wantedMetrics)
  if (metrics === undefined) throw new SettingError('metrics', `one of ${metricSettings.join(', ')}`)
  return {
    stackName,
    prefix: prefix ?? spelled(stackName),
    keepData: flag('keepData', true),
    tableStreamArn: matching(
      'tableStreamArn',
      /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/,
      'the ARN of the stream of a table',
    ),
    flowStreamArn: matching(
      'flowStreamArn',
      /^arn:[^:]+:kinesis:[^:]+:\d{12}:stream\/[^/]+$/,
      'the ARN of a Kinesis stream',
    ),
    failuresBucket: matching('failuresBucket', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
    serviceSecretArn: wholeSecretArn('serviceSecretArn'),
    secretReplicaRegion: matching('secretReplicaRegion', /^[a-z]{2,}(-[a-z]+)+-\d$/, 'a region like eu-central-1'),
    backupVaultArn: matching(
      'backupVaultArn',
      /^arn:[^:]+:backup:[^:]+:\d{12}:backup-vault:[^:]+$/,
      'the ARN of a backup vault',
    ),
    backupDays: days('backupDays', 35),
    baseUrl: text('baseUrl'),
    logRetentionDays: days('logRetentionDays', defaultSettings.logRetentionDays),
    flowRetentionDays: days('flowRetentionDays', defaultSettings.flowRetentionDays),
    heartbeatSecs: integer('heartbeatSecs', defaultSettings.heartbeatSecs),
    logLevel,
    metrics,
    tracing: flag('tracing', false),
    suiteIssuer: text('suiteIssuer') ?? 'https://suite.example.com',
    cdnSecretArn,
    alarmEmail: text('alarmEmail'),
    mailSender,
    flowStreamShards: context('flowStreamShards') === 'on-demand' ? 'on-demand' : integer('flowStreamShards', 1),
  }
}
