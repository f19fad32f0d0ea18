import { defaultSettings } from '#shared/core/env.ts'
import { bucketName, either, flag, integerSetting, oneOf, optional, setting, textSetting } from './kinds.ts'

/** A hundred years: times before 1970 and ends of rows stay within what the table and a date hold. */
const days = integerSetting(1, 36_500)
const keyArn = textSetting(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/\S+$/, 'the ARN of a key')

/** A year until locks are renewed, and 35 days for a renewal that fails or takes long. */
const lockMarginDays = 400

export const dataSettings = {
  keepData: setting(flag, true, '`false` for a trial: data goes with its stack, nothing protects it'),
  encryptionKey: setting(
    either(oneOf('aws', 'own'), keyArn),
    'aws',
    "what encrypts data at rest: keys of AWS, the deployment's own, or one that is there",
  ),
  tableClass: setting(
    oneOf('standard', 'infrequent-access'),
    'standard',
    'class of the table; a table that is there already keeps its own ([what pays](costs.md#storage))',
  ),
  tableStreamArn: optional(
    textSetting(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/, 'the ARN of the stream of a table'),
    'stream of an existing table, which is used',
  ),
  flowStreamArn: optional(
    textSetting(/^arn:[^:]+:kinesis:[^:]+:\d{12}:stream\/[^/]+$/, 'the ARN of a Kinesis stream'),
    'existing flow stream',
  ),
  failuresBucket: optional(bucketName, 'existing bucket of failed batches'),
  secretKeyArn: optional(keyArn, 'existing key of the secrets of providers and directories'),
  sealBucket: optional(bucketName, 'existing bucket of the sealed logs'),
  sealKeyArn: optional(keyArn, 'existing key that signs the sealed logs'),
  backupVaultArn: optional(
    textSetting(/^arn:[^:]+:backup:[^:]+:\d{12}:backup-vault:[^:]+$/, 'the ARN of a backup vault'),
    'vault of another account or region that backups are copied to',
  ),
  backupEvery: setting(
    oneOf('week', 'day'),
    'week',
    'how often a backup is made; each is a full copy, in both vaults ([costs](costs.md#storage))',
  ),
  backupLock: optional(
    oneOf('governance', 'compliance'),
    'Vault Lock of the own vault: no backup is deleted before `backupDays`; in `compliance` nobody can lift it after 7 days',
  ),
  backupDays: setting(days, 35, 'how long backups are kept'),
  logRetentionDays: setting(
    days,
    defaultSettings.logRetentionDays,
    'how long the change, session and api_request logs are kept',
  ),
  flowRetentionDays: setting(days, defaultSettings.flowRetentionDays, 'how long the flow log is kept'),
  sealRetentionDays: setting(
    integerSetting(0, 36_500 - lockMarginDays),
    400,
    'days for which, at any time, nobody can delete what the sealed logs rest on (Object Lock): at least `logRetentionDays`; `0` leaves the lock off',
  ),
  flowStreamShards: setting(either(integerSetting(1, 10_000), oneOf('on-demand')), 1, 'shards of the flow stream'),
}

/** Days for which an object of the sealed logs is locked; 0 where none is, as in a trial. */
export const lockDays = ({ keepData, sealRetentionDays }: { keepData: boolean; sealRetentionDays: number }): number =>
  keepData && sealRetentionDays > 0 ? sealRetentionDays + lockMarginDays : 0
