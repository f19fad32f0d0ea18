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
  /** Beginning of the pass, from which older versions are locked for `days`, as the bucket locks newer ones. */
  begun: number
  days: number
  isDone?: boolean
  /** The last account whose objects are all renewed, and the place within the next. */
  after?: string
  place?: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | null
  renewed: number
}

const betweenPassesMicros = 365 * dayMicros
/** A pass that takes longer is reported long before a lock ends (`lockMarginDays`). */
const longestPassMicros = 20 * dayMicros
const width = 32

/** Replaced versions of the newest checkpoint are copies: each checkpoint has an object of its own. */
const isCopy = ({ Key, IsLatest }: ObjectVersion): boolean => !IsLatest && Key?.endsWith('/checkpoint') === true

const keep = (renewal: Partial<Renewal>) => putItem({ ...lockRenewalKey, kind: 'lock_renewal', ...renewal })

const isWhole = (kept: Partial<Renewal> | undefined): kept is Renewal => kept?.begun !== undefined

/** The pass that is under way or due; null between two passes. */
async function passOf(bucket: string, days: number): Promise<Renewal | null> {
  const now = clock.now()
  const kept = await getItem<Key & Partial<Renewal>>(lockRenewalKey)
  if (isWhole(kept) && kept.bucket === bucket && kept.days >= days && now - kept.begun < betweenPassesMicros) {
    return kept.isDone ? null : kept
  }
  const pass = { bucket, begun: now, days, renewed: 0 }
  await keep(pass)
  return pass
}

/** @throws Error for a bucket whose new objects are not locked for long enough. The next pass begins once they are. */
async function checkDefault(bucket: string, days: number): Promise<void> {
  const found = await defaultLockDays()
  if (found >= days) return
  await keep({})
  const rule = `at least ${days} days, in compliance mode`
  throw new Error(`The default retention of the bucket ${bucket} must be ${rule}; it is ${found} days.`)
}

/** Renews the objects of an account. False where time is up. */
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
    await inParallel(older, width, (version) => lockVersion(version, until))
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page
    place = IsTruncated ? { KeyMarker, VersionIdMarker } : null
    pass.renewed += older.length
    Object.assign(pass, place ? { place } : { after: account, place: null })
    await keep(pass)
  } while (place)
  return true
}

/**
 * Extends the locks of the sealed logs, once a year each (docs/decisions/0037-lock-of-the-seal.md), but not of deleted
 * accounts. A run continues where the last one stopped; each step is idempotent.
 * @throws Error for a bucket that locks too briefly, an object that cannot be locked, and a pass that takes too long
 */
export async function renewLocks(deadline: number): Promise<void> {
  const days = env.sealLockDays
  // On one machine the bucket is a folder, which has no locks.
  if (days === 0 || env.sealFolder) return
  const bucket = env.sealBucket
  await checkDefault(bucket, days)
  const pass = await passOf(bucket, days)
  if (!pass) return
  let isDone = true
  for await (const { sk: account } of itemsOf(sealedAccountsPartition, { after: pass.after })) {
    isDone = await renewAccount(pass, account, deadline)
    if (!isDone) break
  }
  if (isDone) {
    const { begun, renewed } = pass
    await keep({ bucket, begun, days: pass.days, renewed, isDone })
    logLine('INFO', 'locks_renewed', { objects: renewed, days: pass.days })
  } else if (clock.now() - pass.begun > longestPassMicros) {
    throw new Error('The locks of the sealed logs have been under renewal for more than 20 days.')
  }
}

/** Days for which nobody can delete a new object; 0 where the bucket has no such rule, or only a bypassable one. */
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
    // S3 has no retention of the version.
    if (hasStatus(error, 404)) return false
    throw error
  }
}

/** Locks a version until this instant unless it is locked for longer or gone. @throws S3ServiceException */
async function lockVersion({ Key, VersionId }: ObjectVersion, until: Date): Promise<void> {
  const version = { Key, VersionId }
  const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until } as const
  try {
    await s3().send(new PutObjectRetentionCommand({ Bucket: env.sealBucket, ...version, Retention }))
  } catch (error) {
    if (hasStatus(error, 404)) return
    // S3 refuses to shorten a lock. A missing right has the same status.
    if (!hasStatus(error, 400, 403) || !(await isLockedUntil(version, until))) throw error
  }
}
