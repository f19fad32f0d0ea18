import { type Author, commit, commitAfter } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/commit-in-parts.ts'
import { invalidAt } from '../../core/errors.ts'
import { firstMessages } from '../../core/faults.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import { workTime } from '../../core/work/work.ts'
import type { AccountVersion } from '../../table/account-version.ts'
import { entityKey, partition } from '../../table/keys.ts'
import { checkExistence, sortKeysOf } from '../../table/read.ts'
import { membersPerCommit, type PendingPart, readPending, type SetChange, stagePending } from './pending-change.ts'
import { readEdit, readWholeSet } from './requested-members.ts'
import { type CheckedMembers, type MemberSet, pendingStager, sizeOf, stageSetChange } from './set-change.ts'

/** The members that a request adds, and a test of those that may stay. */
type Wanted = { added: string[]; keeps: (id: string) => boolean }

/** The ids of a set as it is, sorted, and the number of entries that are still to be written to it. */
export type ChangedSet = { ids: string[]; pending: number }

/** Makes a set exactly what was sent (A15.3, A19.2). */
export const replaceMembers = (author: Author, set: MemberSet, ownerId: string, entries: unknown[]) =>
  changeMembers(author, set, ownerId, () => {
    const added = readWholeSet(set, entries)
    const wanted = new Set(added)
    return { added, keeps: (id) => wanted.has(id) }
  })

/** Removal comes first, so an id in both stays a member (A15.4). */
export const editMembers = (author: Author, set: MemberSet, ownerId: string, sent: Record<string, unknown>) =>
  changeMembers(author, set, ownerId, () => {
    const { add, remove } = readEdit(set, sent)
    const [kept, gone] = [new Set(add), new Set(remove)]
    return { added: add, keeps: (id) => kept.has(id) || !gone.has(id) }
  })

/**
 * Removes and adds members until the set is as wanted, removals first (A15.6); members that stay keep their membership
 * (A15.5). A change too large for one commit is stored as pending by the first, and is valid from then on: the request
 * works on it while it has time, the follow-up consumer does the rest. `read` checks the request.
 */
async function changeMembers(
  { accountId, subject, precondition }: Author,
  set: MemberSet,
  ownerId: string,
  read: () => Wanted,
): Promise<ChangedSet> {
  let wanted: Wanted | undefined
  /** Sequence of the state in which the members were found to exist. */
  let found: number | undefined
  const { result: begun, head } = await commitAfter(
    { accountId, subject, precondition },
    async (transaction): Promise<ChangedSet | Begun> => {
      await set.check(transaction, ownerId)
      found ??= transaction.sequence
      wanted ??= await withExisting(accountId, set, read())
      const { members, pending } = await readSet(accountId, set, ownerId)
      const change = differenceOf(wanted, members, pending)
      refuseLargeSet(set, change, members)
      if (pending.length === 0 && sizeOf(change) <= membersPerCommit) {
        return { ids: await stageSetChange(transaction, set, ownerId, change, members), pending: 0 }
      }
      const id = stagePending(transaction, subject, set.entity.name, ownerId, change, pending)
      // Earlier pending members are not among those of this request.
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
    await set.check(transaction, ownerId)
    const { members, pending } = await readSet(accountId, set, ownerId)
    return { ids: members, pending: pending.reduce((sum, { ids }) => sum + ids.length, 0) }
  })
}

/** A change whose first commit has stored it as pending. */
type Begun = { change: string; checked?: CheckedMembers | undefined }

/** Does a pending change of a set, or any; the follow-up consumer does what takes more time. */
export const finishSet = (
  author: Author,
  set: MemberSet,
  ownerId: string,
  budgetMs: number,
  { change, checked, head }: Partial<Begun> & { head?: AccountVersion } = {},
) =>
  finishInParts(
    author,
    { below: set.entity.name, id: ownerId, change },
    pendingStager(set, ownerId, change, checked),
    budgetMs,
    head,
  )

async function readSet(account: string, { entity }: MemberSet, ownerId: string) {
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

/** Bounds a set so that all of its ids fit one answer. */
const maxMembers = 100_000

/** @throws ApiError `validation_failed` for a change that would make a set too large; one that shrinks it is always fine */
export function refuseLargeSet({ envelope }: MemberSet, change: SetChange, members: string[]): void {
  const { length: joining } = change.joining
  if (joining > 0 && members.length - change.leaving.length + joining > maxMembers)
    throw invalidAt([envelope], `should have at most ${maxMembers} item(s)`)
}

/** All checks precede the first write. @throws ApiError `validation_failed` for members that do not exist */
async function withExisting(account: string, set: MemberSet, wanted: Wanted): Promise<Wanted> {
  const found = await checkExistence(wanted.added.map((id) => entityKey(account, set.members, id)))
  const unknown = firstMessages(wanted.added, (id, i) => (found[i] ? null : `${id} does not exist`))
  if (unknown.length > 0) throw invalidAt([set.envelope], ...unknown)
  return wanted
}
