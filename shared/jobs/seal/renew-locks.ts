import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { logLine } from '../../core/logging/log.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { lockRenewalKey } from '../../seal/log/lock-renewal.ts'
import { sealedAccountsPartition } from '../../seal/log/sealed-accounts.ts'
import {
  defaultLockDays,
  lockVersion,
  type ObjectVersion,
  readVersions,
  type VersionPlace,
} from '../../seal/sealing/object-locks.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { getItem, itemsOf } from '../../table/read.ts'

/** A pass through all objects, and how far it is. */
type Renewal = {
  bucket: string
  /** Beginning of the pass. Older versions are locked until `days` after it; the rule of the bucket locks newer ones for as long. */
  begun: number
  days: number
  isDone?: boolean
  /** The last account whose objects are all renewed, and the place within the next. */
  after?: string
  place?: VersionPlace | null
  renewed: number
}

const dayMicros = 86_400_000_000
const betweenPassesMicros = 365 * dayMicros
/** A pass that takes longer is reported long before a lock ends (`lockMarginDays`). */
const longestPassMicros = 20 * dayMicros
/** Requests to the bucket at once. */
const width = 32

/** Replaced versions of the newest checkpoint are copies: each checkpoint has an object of its own. */
const isCopy = ({ key, isLatest }: ObjectVersion): boolean => !isLatest && key.endsWith('/checkpoint')

async function keep(renewal: Partial<Renewal>): Promise<void> {
  const Item = { ...lockRenewalKey, kind: 'lock_renewal', ...renewal }
  await table().send(new PutCommand({ TableName: tableName(), Item }))
}

/** The pass that is under way or due; null between two passes. */
async function passOf(bucket: string, days: number): Promise<Renewal | null> {
  const now = clock.now()
  const kept = await getItem<Key & Partial<Renewal>>(lockRenewalKey)
  const { begun, days: keptDays, renewed } = kept ?? {}
  const isKnown = begun !== undefined && keptDays !== undefined && renewed !== undefined
  if (!isKnown || kept?.bucket !== bucket || keptDays < days || now - begun >= betweenPassesMicros) {
    const begins: Renewal = { bucket, begun: now, days, renewed: 0 }
    await keep(begins)
    return begins
  }
  const { isDone, after, place } = kept
  return isDone ? null : { bucket, begun, days: keptDays, renewed, after, place }
}

/** @throws Error for a bucket whose new objects are not locked for long enough. The next pass begins when that is mended. */
async function checkDefault(bucket: string, days: number): Promise<void> {
  const found = await defaultLockDays()
  if (found >= days) return
  await keep({})
  const rule = `at least ${days} days, in compliance mode`
  throw new Error(`The default retention of the bucket ${bucket} must be ${rule}; it is ${found} days.`)
}

/** Renews the objects of an account. False where time is up. */
async function renewAccount(pass: Renewal, account: string, deadline: number): Promise<boolean> {
  const prefix = `${account}/`
  const begun = new Date(pass.begun / 1_000)
  const until = new Date((pass.begun + pass.days * dayMicros) / 1_000)
  let place = pass.place?.key.startsWith(prefix) ? pass.place : null
  do {
    if (Date.now() >= deadline) return false
    const { versions, next } = await readVersions(prefix, place)
    const older = versions.filter((version) => version.putAt <= begun && !isCopy(version))
    await inParallel(older, width, (version) => lockVersion(version, until))
    place = next
    pass.renewed += older.length
    Object.assign(pass, place ? { place } : { after: account, place: null })
    await keep(pass)
  } while (place)
  return true
}

/**
 * Extends the locks of the sealed logs, once a year each (docs/decisions/0037-lock-of-the-seal.md). Objects of deleted accounts keep the
 * lock that they have. A run continues where the last one stopped; each step can be repeated.
 * @throws Error for a bucket that does not lock new objects long enough, an object that cannot be locked, and a pass that takes too long
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
