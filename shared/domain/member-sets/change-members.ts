import { type Author, commit, commitAfter } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/finish-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { workTime } from '../../commit/work-time.ts'
import { invalid } from '../../core/errors.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import { firstMessages } from '../../core/message-limit.ts'
import type { Row } from '../../table/entity.ts'
import type { Head } from '../../table/head.ts'
import { entityKey, partition } from '../../table/keys.ts'
import { sortKeysOf, whichExist } from '../../table/read.ts'
import type { MemberSet } from './member-set.ts'
import { membersPerCommit, type PendingPart, readPending, type SetChange, stagePending } from './pending-change.ts'
import { type Checked, pendingStager, sizeOf, stageSetChange } from './set-change.ts'

/** The members that a request wants in, and which of those there are may stay. */
export type Wanted = { added: string[]; keeps: (id: string) => boolean }

/** The set becomes exactly this. */
export function wholeSet(ids: string[]): Wanted {
  const wanted = new Set(ids)
  return { added: ids, keeps: (id) => wanted.has(id) }
}

/** Removal comes first, so an id in both stays a member (A15.4). */
export function edited({ add, remove }: { add: string[]; remove: string[] }): Wanted {
  const kept = new Set(add)
  const gone = new Set(remove)
  return { added: add, keeps: (id) => kept.has(id) || !gone.has(id) }
}

/** The ids of a set as it is, sorted, and how many entries are still to be written to it. */
export type ChangedSet = { ids: string[]; pending: number }

/**
 * Removes and adds members until the set is as wanted, removals first (A15.6); members that stay keep their membership
 * (A15.5). A change too large for one commit is stored as pending by the first, and counts from then on: the request
 * works on it while it has time, the follow-up consumer does the rest. `check` tests the owner, `read` the request.
 */
export async function changeMembers<M extends Row>(
  { accountId, subject, precondition }: Author,
  set: MemberSet<M>,
  ownerId: string,
  check: (transaction: Transaction) => Promise<unknown>,
  read: () => Wanted,
): Promise<ChangedSet> {
  let wanted: Wanted | undefined
  /** Of the state on which the members were found to exist. */
  let found: number | undefined
  const { result: begun, head } = await commitAfter(
    { accountId, subject, precondition },
    async (transaction): Promise<ChangedSet | Begun> => {
      await check(transaction)
      found ??= transaction.sequence
      wanted ??= await withExisting(accountId, set, read())
      const { members, pending } = await readSet(accountId, set, ownerId)
      const change = differenceOf(wanted, members, pending)
      refuseLargeSet(set, change, members)
      if (pending.length === 0 && sizeOf(change) <= membersPerCommit) {
        return { ids: await stageSetChange(transaction, set, ownerId, change, members), pending: 0 }
      }
      const id = stagePending(transaction, subject, set.entity.name, ownerId, change, pending)
      // Those that were pending before are not among those of this request.
      const known = found === transaction.sequence && pending.length === 0
      return { change: id, checked: known ? { joining: change.joining, sequence: found } : undefined }
    },
  )
  if ('ids' in begun) return begun
  await finishSet({ accountId, subject }, set, ownerId, workTime.request(), { ...begun, head }).catch(
    (error: unknown) =>
      // The change is stored and goes on by itself, so the answer is how far it came.
      logLine('WARN', 'members_interrupted', describeError(error)),
  )
  return commit({ accountId, subject }, async (transaction) => {
    await check(transaction)
    const { members, pending } = await readSet(accountId, set, ownerId)
    return { ids: members, pending: pending.reduce((sum, { ids }) => sum + ids.length, 0) }
  })
}

/** A change whose first commit has stored it as pending. */
type Begun = { change: string; checked?: Checked | undefined }

/**
 * Does a change that is pending for a set; what takes more time is left to the follow-up consumer.
 * @param begun which change, and in what state its first commit has left the account; any, where it is not told
 */
export const finishSet = <M extends Row>(
  author: Author,
  set: MemberSet<M>,
  ownerId: string,
  budgetMs: number,
  { change, checked, head }: Partial<Begun> & { head?: Head } = {},
) =>
  finishInParts(
    author,
    { below: set.entity.name, id: ownerId, change },
    pendingStager(set, ownerId, change, checked),
    budgetMs,
    head,
  )

async function readSet<M extends Row>(account: string, { entity }: MemberSet<M>, ownerId: string) {
  const [members, pending] = await Promise.all([
    sortKeysOf(partition(account, entity.name, ownerId)),
    readPending(account, entity.name, ownerId),
  ])
  return { members, pending }
}

/** Pending changes were promised to a caller already, so the difference is taken from the set they will result in. */
function differenceOf({ added, keeps }: Wanted, members: string[], pending: PendingPart[]): SetChange {
  const set = new Set(members)
  for (const { joins, ids } of pending) for (const id of ids) joins ? set.add(id) : set.delete(id)
  const target = new Set([...[...set].filter(keeps), ...added])
  const present = new Set(members)
  return { leaving: members.filter((id) => !target.has(id)), joining: [...target].filter((id) => !present.has(id)) }
}

/** All ids of a set have to fit one answer. */
const maxMembers = 100_000

/** @throws ApiError `validation_failed` for a change that would make a set too large; one that shrinks it is always fine */
export function refuseLargeSet<M extends Row>({ envelope }: MemberSet<M>, change: SetChange, members: string[]): void {
  const { length: joining } = change.joining
  if (joining > 0 && members.length - change.leaving.length + joining > maxMembers)
    throw invalid({ [envelope]: [`should have at most ${maxMembers} item(s)`] })
}

/** All checks precede the first write. @throws ApiError `validation_failed` for members that do not exist */
async function withExisting<M extends Row>(account: string, set: MemberSet<M>, wanted: Wanted): Promise<Wanted> {
  const found = await whichExist(wanted.added.map((id) => entityKey(account, set.members, id)))
  const unknown = firstMessages(wanted.added, (id, i) => (found[i] ? null : `${id} does not exist`))
  if (unknown.length > 0) throw invalid({ [set.envelope]: unknown })
  return wanted
}
