import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { logLevels } from '#shared/core/logging/log.ts'
import { metricSettings } from '#shared/core/logging/metrics.ts'
import { bucketName, flag, mailAddress, oneOf, optional, setting, textSetting } from './kinds.ts'

const keptLogDays = Object.values(RetentionDays).filter(
  (value): value is number => typeof value === 'number' && value !== RetentionDays.INFINITE,
)

export const operatorSettings = {
  shift: setting(
    oneOf('canary', 'at-once'),
    'canary',
    'how the functions that carry the load get a new version: one request in ten for five minutes, or all; `at-once` no alarm stops',
  ),
  alarmEmail: optional(mailAddress, 'who is mailed when an alarm goes off'),
  breakGlassRoleArn: optional(
    textSetting(
      /^arn:[^:]+:iam::\d{12}:role\/([\w+=,.@-]+\/)*[\w+=,.@-]+\*?$/,
      'the ARN of a role; `*` can stand for the end of its name',
    ),
    "role of operators that may write the table in an emergency, beside the service's own roles",
  ),
  logLevel: setting(
    oneOf(...logLevels),
    'INFO',
    'least level of what functions write to CloudWatch; `INFO` is a line a request',
  ),
  metrics: setting(
    oneOf(...metricSettings),
    'classes',
    "what the service's own metrics are told apart by; `operations` has both, `none` makes none",
  ),
  logDestinationArn: optional(
    textSetting(/^arn:[^:]+:logs:[^:]+:\d{12}:destination:[^:*]{1,512}$/, 'the ARN of a log destination'),
    'log destination of another account that all log lines are copied to',
  ),
  dataEventsBucket: optional(
    bucketName,
    'bucket of another account for a trail of data events: sealed logs, tasks, writes to the table by others',
  ),
  tracing: setting(flag, false, 'whether AWS X-Ray traces the functions'),
  liveAccessLog: setting(
    flag,
    false,
    'whether the live channel has an access log; the account names a role for logs of API Gateway then',
  ),
  logGroupDays: setting(
    oneOf(...keptLogDays),
    RetentionDays.THREE_MONTHS,
    'how long CloudWatch keeps what functions, API and web ACL write',
  ),
}
