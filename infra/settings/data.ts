import { defaultSettings } from '#shared/core/env.ts'
import { bucketName, either, flag, integerSetting, oneOf, optional, setting, textSetting } from './kinds.ts'

/** Limits days to 100 years, so that computed times stay valid as dates and as the table's TTL. */
const days = integerSetting(1, 36_500)
const keyArn = textSetting(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/\S+$/, 'the ARN of a KMS key')

/** Number of days by which a lock exceeds the retention. Locks are renewed yearly, and a failing or slow renewal may take 35 days. */
const lockMarginDays = 400

export const dataSettings = {
  keepData: setting(flag, true, '`false` is for trials: nothing protects the data, and deleting its stack deletes it.'),
  encryptionKey: setting(
    either(oneOf('aws', 'own'), keyArn),
    'aws',
    'Key that encrypts data at rest: `aws` uses keys managed by AWS, `own` creates a key, an ARN uses an existing key ([details](deploy.md#a-key-of-your-own)).',
  ),
  tableClass: setting(
    oneOf('standard', 'infrequent-access'),
    'standard',
    'Storage class of the table ([costs](costs.md#storage)). An existing table keeps its class.',
  ),
  tableStreamArn: optional(
    textSetting(
      /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/,
      'the ARN of the stream of a DynamoDB table',
    ),
    'Stream of an existing table, which is used instead of a new one ([requirements](deploy.md#with-existing-data)).',
    'a new table',
  ),
  flowStreamArn: optional(
    textSetting(/^arn:[^:]+:kinesis:[^:]+:\d{12}:stream\/[^/]+$/, 'the ARN of a Kinesis data stream'),
    'Existing Kinesis stream for reported flows.',
    'a new stream',
  ),
  failuresBucket: optional(bucketName, 'Existing bucket for failed batches.', 'a new bucket'),
  secretKeyArn: optional(
    keyArn,
    'Existing key that encrypts the secrets of providers and directories. It must be the key that the table was written with.',
    'a new key',
  ),
  sealBucket: optional(
    bucketName,
    'Existing bucket of the sealed logs. Set it together with `sealKeyArn` for an existing table.',
    'a new bucket',
  ),
  sealKeyArn: optional(keyArn, 'Existing key that signs the sealed logs.', 'a new key'),
  archiveBucket: optional(
    bucketName,
    'Existing bucket of archived logs. Set it for an existing table.',
    'a new bucket',
  ),
  backupVaultArn: optional(
    textSetting(/^arn:[^:]+:backup:[^:]+:\d{12}:backup-vault:[^:]+$/, 'the ARN of a backup vault'),
    'Vault in another account or region. Setting it turns on scheduled backups of the table, with a copy to this vault.',
  ),
  backupEvery: setting(
    oneOf('week', 'day'),
    'week',
    'Interval of backups: each Sunday, or each day, at 03:00 UTC. Each backup is a full copy in both vaults ([costs](costs.md#storage)).',
  ),
  backupLock: optional(
    oneOf('governance', 'compliance'),
    'Vault Lock of the vault in this account: no backup can be deleted before `backupDays`. With `compliance` nobody can remove the lock after 7 days. Requires `backupVaultArn`.',
  ),
  backupDays: setting(days, 35, 'Days that backups are kept. At least 8 when `backupEvery` is `week`.'),
  logRetentionDays: setting(
    days,
    defaultSettings.logRetentionDays,
    'Days that entries of the change, session and api_request logs are kept.',
  ),
  flowRetentionDays: setting(days, defaultSettings.flowRetentionDays, 'Days that entries of the flow log are kept.'),
  sealRetentionDays: setting(
    integerSetting(0, 36_500 - lockMarginDays),
    400,
    'Minimum days, counted from any moment, that each object of the sealed logs stays locked against deletion (S3 Object Lock). At least `logRetentionDays`; `0` turns the lock off.',
  ),
  archiveRetentionDays: setting(
    days,
    defaultSettings.archiveRetentionDays,
    'Days after which archived logs are deleted, by a lifecycle rule of the new bucket. At least `flowRetentionDays` and `logRetentionDays`.',
  ),
  archiveTierDays: setting(
    integerSetting(0, 36_500),
    0,
    'Days after which archived files over 1 MB move to S3 Glacier Instant Retrieval. At least `flowRetentionDays` and below `archiveRetentionDays`; `0` turns this off.',
  ),
  flowStreamShards: setting(
    either(integerSetting(1, 10_000), oneOf('on-demand')),
    1,
    'Number of shards of the new flow stream.',
  ),
}

/** Number of days for which an object of the sealed logs is locked; 0 without a lock, as in a trial. */
export const lockDays = ({ keepData, sealRetentionDays }: { keepData: boolean; sealRetentionDays: number }): number =>
  keepData && sealRetentionDays > 0 ? sealRetentionDays + lockMarginDays : 0
