import { clock, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { type SyncTurn, syncTurnKey, syncTurnsPartition } from '../../domain/sync/sync-turn.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, UpdateCommand } from '../../table/commands.ts'
import { getRow, queryItems } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { nextSlot } from '../runs/next-slot.ts'
import { beginRun, readOpen } from '../runs/run-store.ts'
import { isAllowed } from '../sources/is-allowed.ts'
import type { SourceKind } from '../sources/sync-source.ts'
import { sourceKinds } from './source-kinds.ts'
import { workOnRun } from './work-on-run.ts'

/** Runs that one invocation works on side by side. */
const width = 3

/**
 * Begins the runs that are due, and goes on with those that are under way and that nobody works on (I4.1). Invocations may
 * overlap: the lease of a run keeps them apart.
 * @param deadline in milliseconds since 1970
 * @throws AggregateError of what failed; it does not hold up the rest
 */
export async function runDue(deadline: number): Promise<void> {
  const now = timestamp(clock.now())
  const turns = (await queryItems<SyncTurn>(syncTurnsPartition)).filter(({ next_at }) => next_at <= now)
  turns.sort((a, b) => (a.next_at < b.next_at ? -1 : 1))
  const errors: unknown[] = []
  await inParallel(turns, width, async (turn) => {
    if (Date.now() < deadline) await take(turn, deadline).catch((error) => void errors.push(error))
  })
  if (errors.length > 0) throw new AggregateError(errors, 'Some sync runs did not go on.')
}

async function take(turn: SyncTurn, deadline: number): Promise<void> {
  const kind = sourceKinds.get(turn.collection)
  if (!kind) return
  const { account_id, source_id } = turn
  const open = await readOpen(account_id, source_id)
  if (open && open.until >= clock.now()) return
  if (!open && !(await begin(turn, kind))) return
  await workOnRun(turn, kind, deadline)
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
