/**
 * USD in us-east-1, without free tiers and volume discounts, as AWS published them in 2025 (looked up on 2026-11-21, those
 * of backups, classes and alarms on 2026-11-23; docs/decisions/0036 names the pages). Other regions cost up to a quarter more.
 */
export const prices = {
  /** HTTP API: a request of up to 512 KB. */
  httpRequest: 1.0 / 1e6,
  /** WebSocket API: a message of up to 32 KB, to or from a device, and a minute of a connection. */
  liveMessage: 1.0 / 1e6,
  connectionMinute: 0.25 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** Lambda on arm64, a GB-second. */
  lambdaGbSecond: 0.0000133334,
  /** DynamoDB on demand, standard class. */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  /** Its other class: cheaper storage, and units that are dearer by this factor. */
  infrequentGbMonth: 0.1,
  infrequentUnits: 1.25,
  pointInTimeGbMonth: 0.2,
  /** A GB of a backup in a vault, and one that is copied to another region. */
  backupGbMonth: 0.1,
  regionGb: 0.02,
  /** S3: an object that is put. KMS: a signature by an elliptic curve. */
  objectPut: 5.0 / 1e6,
  signature: 15.0 / 1e6,
  /** Kinesis, provisioned: 25 KB of a record. */
  payloadUnit: 0.014 / 1e6,
  shardHour: 0.015,
  /** CloudWatch: a GB of log lines taken in; a month of a custom metric, and of a metric that an alarm looks at. */
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  keyMonth: 1,
  secretMonth: 0.4,
  /** A web ACL of AWS WAF, and each rule of it. */
  webAclMonth: 5,
  webAclRuleMonth: 1,
}
