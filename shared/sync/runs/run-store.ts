import { clock, timestamp } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { syncTurnItem } from '../../domain/sync/sync-turn.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import type { Item } from '../../table/keys.ts'
import { getItem, queryItems } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { put, putOver, type Write, writeTogether } from '../../table/write-together.ts'
import { countsOf, type Run } from './run.ts'
import {
  isKept,
  type OpenRun,
  openRunItem,
  openRunKey,
  openRunsPartition,
  runItem,
  runsPartition,
} from './run-items.ts'

/** How long a lease lasts that nobody renews. */
const leaseMicros = 120_000_000

export async function readRun(account: string, sourceId: string, id: string): Promise<Run | null> {
  const item = await getItem<Item & Run>({ pk: runsPartition(account, sourceId), sk: id })
  return item && isKept(item) ? runOf(item) : null
}

/** @throws ApiError `not_found` */
export async function knownRun(account: string, sourceId: string, id: string): Promise<Run> {
  const run = await readRun(account, sourceId, id)
  if (!run) throw notFound()
  return run
}

/** The run of an item; those of before there were rewinds say nothing of them. */
export function runOf({ pk: _pk, sk: _sk, kind: _kind, ttl: _ttl, ...run }: Item & Run): Run {
  return {
    ...run,
    rewinds: run.rewinds ?? null,
    subject: run.subject ?? null,
    scopes: run.scopes ?? null,
    took_administrator: run.took_administrator ?? false,
  }
}

/** The run of a source that is under way, with what its commits have noted. */
export const readOpen = (account: string, sourceId: string): Promise<(Item & OpenRun) | undefined> =>
  getItem<Item & OpenRun>(openRunKey(account, sourceId))

/** The runs of an account that are under way, by their sources. */
export const readOpenRuns = (account: string): Promise<(Item & OpenRun)[]> =>
  queryItems<Item & OpenRun>(openRunsPartition(account))

type Begin = Pick<Run, 'account_id' | 'collection' | 'source_id' | 'preview' | 'connection'> & {
  objects: readonly string[]
}

export const running = () => new ApiError('sync_running', 'A run of this is under way.')

/** A run that has done nothing yet, and the item that stands while it is under way. */
export function newRun({ objects, ...begin }: Begin, now: number): { run: Run; open: OpenRun } {
  const run: Run = {
    ...begin,
    id: uuidV7(now),
    rewinds: null,
    subject: null,
    scopes: null,
    started_at: timestamp(now),
    finished_at: null,
    phase: 'read',
    outcome: null,
    error: null,
    seen: Object.fromEntries(objects.map((object) => [object, 0])),
    planned: countsOf(objects),
    applied: countsOf(objects),
    took_administrator: false,
    skipped: {},
    skipped_sample: [],
    reading: null,
    root: null,
    staged_at: timestamp(now),
    whole_at: timestamp(now),
    sections: {},
    troubled_since: null,
  }
  const open: OpenRun = {
    run_id: run.id,
    owner: null,
    until: 0,
    at: { section: 0, index: 0 },
    applied: countsOf(objects),
    skipped: {},
    skipped_sample: [],
  }
  return { run, open }
}

/**
 * Begins a run, unless one is under way.
 * @param turnAt the turn by which it is due: one that has moved since was another's, whose run may be over by now
 * @throws ApiError `sync_running`
 */
export async function beginRun(begin: Begin, turnAt?: string): Promise<Run> {
  const { run, open } = newRun(begin, clock.now())
  const { account_id, source_id } = run
  for (let tries = 0; tries < 5; tries++) {
    if (await readOpen(account_id, source_id)) throw running()
    const outcome = await writeTogether([
      putOver(openRunItem(account_id, source_id, open), null),
      put(runItem(run)),
      turnAt === undefined
        ? put(syncTurnItem(run, run.started_at))
        : putOver(syncTurnItem(run, run.started_at), { next_at: turnAt }),
    ])
    if (outcome === 'done') return run
  }
  throw running()
}

/** Takes the lease of a run that is under way; null while somebody else has it, or when the run is over. */
export async function takeLease(account: string, sourceId: string, owner: string): Promise<OpenRun | null> {
  const now = clock.now()
  try {
    const { Attributes } = await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: openRunKey(account, sourceId),
        UpdateExpression: 'SET #owner = :owner, #until = :until',
        ConditionExpression: 'attribute_exists(pk) AND #until < :now',
        ExpressionAttributeNames: { '#owner': 'owner', '#until': 'until' },
        ExpressionAttributeValues: { ':owner': owner, ':until': now + leaseMicros, ':now': now },
        ReturnValues: 'ALL_NEW',
      }),
    )
    const { pk: _pk, sk: _sk, kind: _kind, ...open } = Attributes as Item & OpenRun
    return { ...open, owner }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null
    throw error
  }
}

/** The lease as who holds it renews it. */
export const renewed = (open: OpenRun): OpenRun => ({ ...open, until: clock.now() + leaseMicros })

/** The writes that keep the place of a run, on the condition that the lease is still held. */
export const savingWrites = (run: Run, open: OpenRun): Write[] => [
  putOver(openRunItem(run.account_id, run.source_id, open), { run_id: run.id, owner: open.owner }),
  put(runItem(run)),
]
