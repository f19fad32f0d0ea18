import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { logLevels } from '#shared/core/logging/log.ts'
import { metricSettings } from '#shared/core/logging/metrics.ts'
import { bucketName, flag, mailAddress, oneOf, optional, setting, textSetting } from './kinds.ts'

const retentionDays = Object.values(RetentionDays).filter(
  (value): value is number => typeof value === 'number' && value !== RetentionDays.INFINITE,
)

export const operatorSettings = {
  shift: setting(
    oneOf('canary', 'at-once'),
    'canary',
    'Rollout of new versions of the six functions that carry the load. `canary` sends them 10 % of requests for five minutes, and rolls back when an alarm goes off. `at-once` sends them all requests and never rolls back ([details](deploy.md#a-new-version)).',
  ),
  alarmEmail: optional(mailAddress, 'Address that receives an email when an alarm goes off.'),
  breakGlassRoleArn: optional(
    textSetting(
      /^arn:[^:]+:iam::\d{12}:role\/([\w+=,.@-]+\/)*[\w+=,.@-]+\*?$/,
      'the ARN of a role; `*` can replace the end of its name',
    ),
    "Role of operators that may write to the table in an emergency. The table's policy denies it to every other role except the service's own.",
  ),
  logLevel: setting(
    oneOf(...logLevels),
    'INFO',
    'Minimum level of the log lines that functions write. `INFO` includes one line per request.',
  ),
  metrics: setting(
    oneOf(...metricSettings),
    'classes',
    'Dimensions of the metrics for latency and faults: `classes` of operations, or `operations` as well. `none` turns all metrics of the service off ([details](operating.md#metrics)).',
  ),
  logDestinationArn: optional(
    textSetting(/^arn:[^:]+:logs:[^:]+:\d{12}:destination:[^:*]{1,512}$/, 'the ARN of a log destination'),
    'Log destination in another account, to which all log lines are copied ([log archive](log-archive.md)).',
  ),
  dataEventsBucket: optional(
    bucketName,
    'Bucket in another account for a CloudTrail trail of data events: access to sealed logs, invocations of tasks, and writes to the table by other principals ([log archive](log-archive.md)).',
  ),
  tracing: setting(flag, false, '`true` traces the functions with AWS X-Ray.'),
  liveAccessLog: setting(
    flag,
    false,
    '`true` writes an access log of the live channel. The AWS account must have a CloudWatch role set for API Gateway.',
  ),
  logGroupDays: setting(
    oneOf(...retentionDays),
    RetentionDays.THREE_MONTHS,
    'Days that CloudWatch keeps the logs of functions, API and web ACL.',
  ),
}
