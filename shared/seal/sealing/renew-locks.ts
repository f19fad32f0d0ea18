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

/** Stored progress of a pass over all sealed objects. */
type Renewal = {
  bucket: string
  /** Start of the pass in microseconds. Older versions are locked for `days` from it; the bucket locks newer ones. */
  begun: number
  days: number
  isDone?: boolean
  /** Last account that is complete. `place` is the position in the listing of the next one. */
  after?: string
  place?: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | null
  renewed: number
}

const betweenPassesMicros = 365 * dayMicros
/** Maximum duration of a pass. A longer one is reported long before any lock ends (`lockMarginDays`). */
const maxPassMicros = 20 * dayMicros
const concurrency = 32

/** True for a replaced version of `checkpoint`, which needs no lock: each checkpoint also has an object of its own. */
const isCopy = ({ Key, IsLatest }: ObjectVersion): boolean => !IsLatest && Key?.endsWith('/checkpoint') === true

const storeProgress = (renewal: Partial<Renewal>) => putItem({ ...lockRenewalKey, kind: 'lock_renewal', ...renewal })

const isStarted = (stored: Partial<Renewal> | undefined): stored is Renewal => stored?.begun !== undefined

/** Current pass, or a new one when it is due; null between two passes. */
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

/** Resets the progress and throws if the bucket's default lock is too short. A new pass starts once that is fixed. */
async function checkDefault(bucket: string, days: number): Promise<void> {
  const found = await defaultLockDays()
  if (found >= days) return
  await storeProgress({})
  const rule = `at least ${days} days, in compliance mode`
  throw new Error(`The default retention of the bucket ${bucket} must be ${rule}; it is ${found} days.`)
}

/** Renews the locks of an account's objects. Returns false at the deadline. */
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
 * Extends the locks of all sealed objects once a year (docs/decisions/0037-lock-of-the-seal.md), except of deleted
 * accounts. A run resumes at the progress of the last one; each step is idempotent.
 * @throws Error if the bucket's default lock is too short, an object cannot be locked, or a pass takes over 20 days
 */
export async function renewLocks(deadline: number): Promise<void> {
  const days = env.sealLockDays
  // On a single machine the store is a folder, which has no locks.
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

/** Days for which the bucket locks new objects; 0 without a default rule in compliance mode. */
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
    // 404: the version has no retention.
    if (hasStatus(error, 404)) return false
    throw error
  }
}

/** Locks a version until `until`, unless it is deleted or already locked for longer. @throws S3ServiceException */
async function lockVersion({ Key, VersionId }: ObjectVersion, until: Date): Promise<void> {
  const version = { Key, VersionId }
  const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until } as const
  try {
    await s3().send(new PutObjectRetentionCommand({ Bucket: env.sealBucket, ...version, Retention }))
  } catch (error) {
    if (hasStatus(error, 404)) return
    // S3 refuses to shorten a lock with the same status as for a missing permission.
    if (!hasStatus(error, 400, 403) || !(await isLockedUntil(version, until))) throw error
  }
}
