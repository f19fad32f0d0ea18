/**
 * AWS prices in USD for us-east-1, without free tiers and volume discounts. Retrieved on 2026-11-21, and on 2026-11-23 for backups, classes
 * and alarms (docs/decisions/0036). Other regions cost up to a quarter more.
 */
export const prices = {
  /** HTTP API: a request of up to 512 KB. */
  httpRequest: 1.0 / 1e6,
  /** WebSocket API: a message of up to 32 KB in either direction, and a connection minute. */
  liveMessage: 1.0 / 1e6,
  connectionMinute: 0.25 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** Lambda on arm64: a GB-second. */
  lambdaGbSecond: 0.0000133334,
  /** DynamoDB on demand, standard class. */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  /** DynamoDB's infrequent-access class: the price of storage, and the factor by which read and write units are more expensive. */
  infrequentGbMonth: 0.1,
  infrequentUnits: 1.25,
  pointInTimeGbMonth: 0.2,
  /** AWS Backup: a GB in a vault, and a GB copied to another region. */
  backupGbMonth: 0.1,
  bucketGbMonth: 0.023,
  regionGb: 0.02,
  /** S3: a PUT request. KMS: a signature with an elliptic curve. */
  objectPut: 5.0 / 1e6,
  signature: 15.0 / 1e6,
  /** Kinesis, provisioned: a payload unit of 25 KB. */
  payloadUnit: 0.014 / 1e6,
  shardHour: 0.015,
  /** CloudWatch: a GB of ingested logs, a custom metric per month, and a metric that an alarm evaluates, per month. */
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  keyMonth: 1,
  secretMonth: 0.4,
  /** AWS WAF: a web ACL, and each of its rules. */
  webAclMonth: 5,
  webAclRuleMonth: 1,
}
