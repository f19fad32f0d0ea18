import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { askedAccountOrAll } from '../../core/asked-account.ts'
import { clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { logLine } from '../../core/logging/log.ts'
import { retentionMicros } from '../../logs/log-keys.ts'
import { pointerItems } from '../../logs/log-store.ts'
import { missingPointers } from '../../logs/missing-pointers.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { walkLogs } from '../../logs/walk-logs.ts'
import { insertAll } from '../../table/insert-all.ts'
import { accountOf, type Key } from '../../table/keys.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { walkTable } from '../../table/walk-table.ts'
import { Place, readNext } from '../read-next.ts'

/** Entries whose pointers are looked for together: one request, or three where each has three. */
const perBatch = 100
/** A batch is at most 300 read units, and as many write units where nothing is there yet: requests need theirs. */
const pauseMs = 60
/** A line in the log tells of so many. */
const perLine = 10_000

/** How far a run has come. */
const Progress = v.strictObject({
  /** The account that alone is asked for. */
  account_id: v.nullable(v.string()),
  /** Where the page of the table begins whose accounts are at work. */
  start: Place,
  /** The account of that page that is at work, and the last entry that was done of it. */
  at: v.nullable(v.strictObject({ account_id: v.string(), log_id: v.nullable(v.string()) })),
  accounts: v.number(),
  entries: v.number(),
  added: v.number(),
})
type Progress = v.InferOutput<typeof Progress>

export type Indexed = {
  /** Accounts that are done, entries that were looked at, and pointers that were put. */
  accounts: number
  entries: number
  added: number
  /** What goes on where this run stopped; null when all is done. */
  next: Progress | null
}

/** @throws ApiError `bad_request` for an event that names no account, or a `next` that is none */
function begin(event: unknown): Progress {
  const asked = askedAccountOrAll(event)
  const next = readNext(Progress, event)
  if (next === null) return { account_id: asked, start: null, at: null, accounts: 0, entries: 0, added: 0 }
  if (asked !== null && asked !== next.account_id)
    throw new ApiError('bad_request', 'next is of a run for another account.')
  return next
}

const pointersOf = (account: string, item: LogItem) => {
  const { ttl, ...entry } = unpackLarge(item)
  return pointerItems(account, 'change', { id: item.sk, ttl: Number(ttl) }, entry)
}

class Run {
  readonly progress: Progress
  private readonly hasTime: () => boolean

  constructor(progress: Progress, hasTime: () => boolean) {
    this.progress = progress
    this.hasTime = hasTime
  }

  /** @returns whether all is done */
  async work(): Promise<boolean> {
    const { progress, hasTime } = this
    if (progress.account_id !== null) return this.accounts([progress.account_id])
    const pages = walkTable<Key>({
      from: progress.start,
      hasTime,
      ProjectionExpression: 'pk',
      FilterExpression: 'kind = :head',
      ExpressionAttributeValues: { ':head': 'head' },
    })
    for await (const { items, next } of pages) {
      if (!(await this.accounts(items.map(accountOf)))) return false
      if (next === null) return true
      progress.start = next
    }
    return false
  }

  /** The accounts of a page from the one that is at work. @returns whether there was time for all of them */
  private async accounts(accounts: string[]): Promise<boolean> {
    const { progress } = this
    // One that is not there any more was deleted meanwhile: then all of the page are looked at again.
    const left = accounts.slice(Math.max(0, accounts.indexOf(progress.at?.account_id ?? '')))
    for (const [i, account] of left.entries()) {
      if (!(await this.account(account))) return false
      const next = left[i + 1]
      progress.at = next === undefined ? null : { account_id: next, log_id: null }
      if (next !== undefined && !this.hasTime()) return false
    }
    return true
  }

  /** The entries of an account beyond the last that was done. @returns whether there was time for all of them */
  private async account(account: string): Promise<boolean> {
    const { progress } = this
    const done = progress.at?.account_id === account ? progress.at.log_id : null
    const at = { account_id: account, log_id: done }
    progress.at = at
    const now = clock.now()
    const entries = walkLogs({
      account,
      streams: ['change'],
      begin: now - retentionMicros('change'),
      end: now,
      ascending: true,
      from: done ?? undefined,
      expected: perBatch,
    })
    let batch: LogItem[] = []
    const put = async () => {
      await this.put(account, batch)
      at.log_id = batch.at(-1)?.sk ?? at.log_id
      batch = []
    }
    for await (const entry of entries) {
      batch.push(entry)
      if (batch.length < perBatch) continue
      await put()
      if (!this.hasTime()) return false
      await sleep(pauseMs)
    }
    await put()
    progress.accounts++
    return true
  }

  private async put(account_id: string, entries: LogItem[]): Promise<void> {
    const { progress } = this
    const missing = await missingPointers(entries.flatMap((entry) => pointersOf(account_id, entry)))
    await insertAll(missing)
    const lines = Math.floor(progress.entries / perLine)
    progress.entries += entries.length
    progress.added += missing.length
    if (Math.floor(progress.entries / perLine) === lines) return
    logLine('INFO', 'change_log_indexed', { account_id, entries: progress.entries, added: progress.added })
  }
}

/**
 * Puts the pointers that entries of the change log lack: to what changed before there was a history of each object (L2.8),
 * and to what a torn copy has lost. It looks before it writes, so it can be repeated, and run beside anything else.
 * @param event `account_id` for one account alone, `next` to go on where an earlier run stopped
 */
export async function indexChangeLog(event: unknown, hasTime: () => boolean = () => true): Promise<Indexed> {
  const run = new Run(begin(event), hasTime)
  const isDone = await run.work()
  const { account_id: account, accounts, entries, added } = run.progress
  if (isDone && account !== null && entries === 0) await rejectUnknownAccount(account)
  return { accounts, entries, added, next: isDone ? null : run.progress }
}
