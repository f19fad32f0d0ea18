import { clock, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { lastStepItem, readTurns, type SyncTurn, syncTurnKey } from '../../domain/sync/sync-turn.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, UpdateCommand } from '../../table/commands.ts'
import { getRow } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { put, writeTogether } from '../../table/write-together.ts'
import { nextSlot } from '../runs/next-slot.ts'
import { beginRun, readOpen, readOpenRuns, readRun } from '../runs/run-store.ts'
import { isAllowed } from '../sources/is-allowed.ts'
import type { SourceKind } from '../sources/sync-source.ts'
import { sourceKinds } from './source-kinds.ts'
import { workOnRun } from './work-on-run.ts'

/** Parallel runs of one invocation: more than an account can have under way. */
const width = 3
/** Runs of one account that are worked on at a time. */
const maxOpenRuns = 2

/**
 * Orders due turns fairly. Accounts whose last step is longest ago come first, and each has one turn before any has a
 * second.
 */
export function inOrder(turns: SyncTurn[], lastSteps: Map<string, string>): SyncTurn[] {
  const ofAccounts = Map.groupBy(
    turns.toSorted((a, b) => (a.next_at < b.next_at ? -1 : 1)),
    ({ account_id }) => account_id,
  )
  const queues = [...ofAccounts].toSorted(([a], [b]) => ((lastSteps.get(a) ?? '') < (lastSteps.get(b) ?? '') ? -1 : 1))
  const rounds = Math.max(0, ...queues.map(([, queue]) => queue.length))
  return Array.from({ length: rounds }, (_, i) => queues.flatMap(([, queue]) => queue[i] ?? [])).flat()
}

/**
 * Begins the runs that are due, and goes on with those that are under way and that nobody works on (I4.1). Invocations may
 * overlap: the lease of a run keeps them apart.
 * @param deadline in milliseconds since 1970
 * @throws AggregateError of what failed; it does not hold up the rest
 */
export async function runDue(deadline: number): Promise<void> {
  const now = timestamp(clock.now())
  const { turns, lastSteps } = await readTurns()
  const due = turns.filter(({ next_at }) => next_at <= now)
  const begun = new Map<string, Promise<unknown>>()
  const errors: unknown[] = []
  await inParallel(inOrder(due, lastSteps), width, async (turn) => {
    if (Date.now() < deadline) await take(turn, deadline, begun).catch((error) => void errors.push(error))
  })
  if (errors.length > 0) throw new AggregateError(errors, 'Some sync runs did not go on.')
}

async function take(turn: SyncTurn, deadline: number, begun: Map<string, Promise<unknown>>): Promise<void> {
  const kind = sourceKinds.get(turn.collection)
  if (!kind) return
  const { account_id } = turn
  // Sequential within an account, so that each check sees the runs that earlier ones have begun.
  const isOpen = (begun.get(account_id) ?? Promise.resolve()).then(() => openOrBegin(turn, kind))
  begun.set(
    account_id,
    isOpen.catch(() => undefined),
  )
  if (!(await isOpen)) return
  const noteStep = () => writeTogether([put(lastStepItem(account_id, clock.now()))])
  await noteStep()
  try {
    await workOnRun(turn, kind, deadline)
  } finally {
    await noteStep()
  }
}

/** Begins a run where none is under way. Returns whether the run of the source may have a step now. */
async function openOrBegin(turn: SyncTurn, kind: SourceKind): Promise<boolean> {
  const { account_id, source_id } = turn
  const open = await readOpen(account_id, source_id)
  if (open) return open.until < clock.now() && isAmongFirst(turn)
  if ((await readOpenRuns(account_id)).length >= maxOpenRuns) return false
  return (await begin(turn, kind)) && isAmongFirst(turn)
}

/**
 * Returns whether the run of a source is one of the account's oldest. A rewind always is, since it waits for no
 * provider and no other run.
 */
async function isAmongFirst({ account_id, source_id }: SyncTurn): Promise<boolean> {
  const all = (await readOpenRuns(account_id)).toSorted((a, b) => (a.run_id < b.run_id ? -1 : 1))
  const rank = all.findIndex(({ sk }) => sk === source_id)
  const own = all[rank]
  if (!own || rank < maxOpenRuns) return own !== undefined
  const run = await readRun(account_id, source_id, own.run_id)
  return run?.rewinds != null
}

/** Begins a run where one is due; false where none is. */
async function begin(turn: SyncTurn, kind: SourceKind): Promise<boolean> {
  const { account_id, collection, source_id } = turn
  const [row, account] = await Promise.all([
    getRow(kind.entity, account_id, source_id),
    getRow(accounts, account_id, account_id),
  ])
  if (!row || !isAllowed(kind, row, account)) {
    await postpone(turn, row ? timestamp(nextSlot(kind.minuteOf(row), clock.now())) : null)
    return false
  }
  const connection = kind.connectionOf(row)
  try {
    await beginRun(
      { account_id, collection, source_id, preview: false, connection, objects: kind.objects },
      turn.next_at,
    )
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'sync_running') return false
    throw error
  }
}

/** Looks again at the next slot, or never where the source is gone; unless something was asked for meanwhile. */
async function postpone(turn: SyncTurn, at: string | null): Promise<void> {
  const Key = syncTurnKey(turn)
  const asRead = {
    TableName: tableName(),
    Key,
    ConditionExpression: 'next_at = :read',
    ExpressionAttributeValues: { ':read': turn.next_at },
  }
  try {
    if (at === null) await table().send(new DeleteCommand(asRead))
    else {
      await table().send(
        new UpdateCommand({
          ...asRead,
          UpdateExpression: 'SET next_at = :at',
          ExpressionAttributeValues: { ':read': turn.next_at, ':at': at },
        }),
      )
    }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}
