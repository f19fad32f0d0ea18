import type { Construct } from 'constructs'
import { defaultSettings } from '#shared/core/env.ts'
import { type LogLevel, logLevels } from '#shared/core/log.ts'

/** The choices of a deployment, by CDK context (`cdk deploy -c flowStreamShards=2`). */
export type Settings = {
  /** Address that callers use; the API's own unless there is a domain in front. */
  baseUrl: string | null
  logRetentionDays: number
  flowRetentionDays: number
  heartbeatSecs: number
  /** The least level of what functions write for the operator. */
  logLevel: LogLevel
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
  const cdnSecretArn = text('cdnSecretArn')
  if (cdnSecretArn !== null && !/^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/.test(cdnSecretArn)) {
    throw new SettingError('cdnSecretArn', 'the whole ARN of a secret, with its six last characters')
  }
  const mailSender = text('mailSender')
  if (mailSender !== null && !/^[^@\s]+@[^@\s]+$/.test(mailSender)) {
    throw new SettingError('mailSender', 'an address like access@example.com')
  }
  const wantedLevel = text('logLevel') ?? 'INFO'
  const logLevel = logLevels.find((level) => level === wantedLevel)
  if (logLevel === undefined) {
    throw new SettingError('logLevel', `one of ${logLevels.join(', ')}`)
  }
  return {
    baseUrl: text('baseUrl'),
    logRetentionDays: days('logRetentionDays', defaultSettings.logRetentionDays),
    flowRetentionDays: days('flowRetentionDays', defaultSettings.flowRetentionDays),
    heartbeatSecs: integer('heartbeatSecs', defaultSettings.heartbeatSecs),
    logLevel,
    suiteIssuer: text('suiteIssuer') ?? 'https://suite.example.com',
    cdnSecretArn,
    alarmEmail: text('alarmEmail'),
    mailSender,
    flowStreamShards: context('flowStreamShards') === 'on-demand' ? 'on-demand' : integer('flowStreamShards', 1),
  }
}
