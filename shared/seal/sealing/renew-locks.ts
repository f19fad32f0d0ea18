import {
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  type GetObjectRetentionCommandInput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ObjectVersion,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3'
import { hasStatus, s3 } from '../../core/aws/s3.ts'
import { clock, dayMicros } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { logLine } from '../../core/logging/log.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import type { Key } from '../../table/keys.ts'
import { putItem } from '../../table/put-item.ts'
import { getItem, itemsOf } from '../../table/read.ts'
import { lockRenewalKey, sealedAccountsPartition } from '../log/sealed-log.ts'

type Renewal = {
  bucket: string
  /**
   * Start of the pass in microseconds. From then on, the pass locks older object versions for `days`. Newer versions have the bucket's
   * default lock.
   */
  begun: number
  days: number
  isDone?: boolean
  /** Last account that the pass has completed. `place` is the position in the object listing of the next account. */
  after?: string
  place?: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | null
  renewed: number
}

const betweenPassesMicros = 365 * dayMicros
/** Maximum duration of a pass. A longer pass is reported long before any lock expires (`lockMarginDays`). */
const maxPassMicros = 20 * dayMicros
const concurrency = 32

/** True for a replaced version of `checkpoint`. No lock is needed, because each signed checkpoint also has a separate object. */
const isCopy = ({ Key, IsLatest }: ObjectVersion): boolean => !IsLatest && Key?.endsWith('/checkpoint') === true

const storeProgress = (renewal: Partial<Renewal>) => putItem({ ...lockRenewalKey, kind: 'lock_renewal', ...renewal })

const isStarted = (stored: Partial<Renewal> | undefined): stored is Renewal => stored?.begun !== undefined

/** Returns the unfinished pass, or starts a new pass if one is due. Returns null if the last pass is complete and no new pass is due. */
async function openPass(bucket: string, days: number): Promise<Renewal | null> {
  const now = clock.now()
  const stored = await getItem<Key & Partial<Renewal>>(lockRenewalKey)
  if (
    isStarted(stored) &&
    stored.bucket === bucket &&
    stored.days >= days &&
    now - stored.begun < betweenPassesMicros
  ) {
    return stored.isDone ? null : stored
  }
  const pass = { bucket, begun: now, days, renewed: 0 }
  await storeProgress(pass)
  return pass
}

/**
 * Checks the bucket's default lock. If the lock is too short, resets the progress, so that a new pass starts later.
 * @throws Error if the default lock is too short
 */
async function checkDefault(bucket: string, days: number): Promise<void> {
  const found = await defaultLockDays()
  if (found >= days) return
  await storeProgress({})
  const rule = `at least ${days} days, in compliance mode`
  throw new Error(`The default retention of the bucket ${bucket} must be ${rule}; it is ${found} days.`)
}

async function renewAccount(pass: Renewal, account: string, deadline: number): Promise<boolean> {
  const Prefix = `${account}/`
  const begun = pass.begun / 1_000
  const until = new Date((pass.begun + pass.days * dayMicros) / 1_000)
  let place = pass.place?.KeyMarker?.startsWith(Prefix) ? pass.place : null
  do {
    if (clock.monotonic() >= deadline) return false
    const page = await s3().send(new ListObjectVersionsCommand({ Bucket: env.sealBucket, Prefix, ...place }))
    const isOlder = ({ LastModified }: ObjectVersion) => Number(LastModified ?? 0) <= begun
    const older = (page.Versions ?? []).filter((version) => isOlder(version) && !isCopy(version))
    await inParallel(older, concurrency, (version) => lockVersion(version, until))
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page
    place = IsTruncated ? { KeyMarker, VersionIdMarker } : null
    pass.renewed += older.length
    Object.assign(pass, place ? { place } : { after: account, place: null })
    await storeProgress(pass)
  } while (place)
  return true
}

/**
 * Extends the locks of all sealed objects once a year, except those of deleted accounts (docs/decisions/0037-lock-of-the-seal.md). A run
 * resumes where the previous run stopped. Each step is idempotent.
 * @throws Error if the bucket's default lock is too short, an object cannot be locked, or a pass takes over 20 days
 */
export async function renewLocks(deadline: number): Promise<void> {
  const days = env.sealLockDays
  // Skips a local store, which is a folder without locks.
  if (days === 0 || env.sealFolder) return
  const bucket = env.sealBucket
  await checkDefault(bucket, days)
  const pass = await openPass(bucket, days)
  if (!pass) return
  let isDone = true
  for await (const { sk: account } of itemsOf(sealedAccountsPartition, { after: pass.after })) {
    isDone = await renewAccount(pass, account, deadline)
    if (!isDone) break
  }
  if (isDone) {
    const { begun, renewed } = pass
    await storeProgress({ bucket, begun, days: pass.days, renewed, isDone })
    logLine('INFO', 'locks_renewed', { objects: renewed, days: pass.days })
  } else if (clock.now() - pass.begun > maxPassMicros) {
    throw new Error('The renewal of the locks of the sealed logs has taken more than 20 days.')
  }
}

/** Returns the number of days for which the bucket locks new objects; 0 without a default rule in compliance mode. */
async function defaultLockDays(): Promise<number> {
  try {
    const answer = await s3().send(new GetObjectLockConfigurationCommand({ Bucket: env.sealBucket }))
    const { Mode, Days = 0, Years = 0 } = answer.ObjectLockConfiguration?.Rule?.DefaultRetention ?? {}
    return Mode === 'COMPLIANCE' ? Days + 365 * Years : 0
  } catch (error) {
    if (hasStatus(error, 404)) return 0
    throw error
  }
}

type Version = Pick<GetObjectRetentionCommandInput, 'Key' | 'VersionId'>

async function isLockedUntil(version: Version, until: Date): Promise<boolean> {
  try {
    const { Retention } = await s3().send(new GetObjectRetentionCommand({ Bucket: env.sealBucket, ...version }))
    return Retention?.Mode === 'COMPLIANCE' && Number(Retention.RetainUntilDate) >= until.getTime()
  } catch (error) {
    // Status 404 means that the version has no retention.
    if (hasStatus(error, 404)) return false
    throw error
  }
}

/** Locks a version until `until`, unless the version has been deleted or is already locked for longer. @throws S3ServiceException */
async function lockVersion({ Key, VersionId }: ObjectVersion, until: Date): Promise<void> {
  const version = { Key, VersionId }
  const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until } as const
  try {
    await s3().send(new PutObjectRetentionCommand({ Bucket: env.sealBucket, ...version, Retention }))
  } catch (error) {
    if (hasStatus(error, 404)) return
    // S3 returns the same status if the new lock would be shorter and if a permission is missing, so the existing lock is checked.
    if (!hasStatus(error, 400, 403) || !(await isLockedUntil(version, until))) throw error
  }
}
