import { type Author, commit, commitAfter } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { invalidAt } from '../../core/errors.ts'
import { firstMessages } from '../../core/faults.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import { workTime } from '../../core/work/work.ts'
import type { AccountVersion } from '../../table/account-version.ts'
import { linkKey } from '../../table/entity.ts'
import { entityKey, membersPartition } from '../../table/keys.ts'
import { checkExistence } from '../../table/read.ts'
import { type PendingPart, readPending, type SetChange, stagePending } from './pending-change.ts'
import { readEdit, readWholeSet } from './requested-members.ts'
import { type CheckedMembers, fitsCommit, type MemberSet, pendingStager, stageSetChange } from './set-change.ts'

/** Requested change. `compared` are the ids whose rows are compared with the set, none if the request replaces the whole set. */
type RequestedMembers = { added: string[]; compared: string[]; keeps: (id: string) => boolean }

/** Sorted ids of a set's current members, and the number of its pending additions and removals. */
export type ChangedSet = { ids: string[]; pending: number }

/** Replaces all members of a set (A15.3, A19.2). */
export const replaceMembers = (author: Author, set: MemberSet, ownerId: string, entries: unknown[]) =>
  changeMembers(author, set, ownerId, () => {
    const added = readWholeSet(set, entries)
    const ids = new Set(added)
    return { added, compared: [], keeps: (id) => ids.has(id) }
  })

/**
 * Removes members, then adds members, so an id in both lists stays a member (A15.4). Repairs a named member of which a restore has lost the
 * row or the id.
 */
export const editMembers = (author: Author, set: MemberSet, ownerId: string, sent: Record<string, unknown>) =>
  changeMembers(author, set, ownerId, () => {
    const { add, remove } = readEdit(set, sent)
    const [retainedIds, removedIds] = [new Set(add), new Set(remove)]
    return { added: add, compared: [...add, ...remove], keeps: (id) => retainedIds.has(id) || !removedIds.has(id) }
  })

/**
 * Changes a set to the requested members, removals first (A15.6). Retained members keep their membership (A15.5). A large change is first
 * stored as pending. The request writes pending members until its time budget is spent, and the follow-up consumer writes the rest. `read`
 * parses and checks the request.
 */
async function changeMembers(
  { accountId, subject, precondition }: Author,
  set: MemberSet,
  ownerId: string,
  read: () => RequestedMembers,
): Promise<ChangedSet> {
  let requested: RequestedMembers | undefined
  /** Account sequence at which the requested members were found to exist. */
  let checkSequence: number | undefined
  const { result: outcome, version } = await commitAfter(
    { accountId, subject, precondition },
    async (transaction): Promise<ChangedSet | StoredChange> => {
      await set.check(transaction, ownerId)
      checkSequence ??= transaction.sequence
      requested ??= await checkMembersExist(accountId, set, read())
      const { members, pending } = await readSet(transaction, set, ownerId)
      const { isRepair, ...change } = await computeChange(transaction, set, ownerId, requested, members, pending)
      refuseLargeSet(set, change, members)
      if (pending.length === 0 && (await fitsCommit(transaction, set, ownerId, change))) {
        return { ids: await stageSetChange(transaction, set, ownerId, change, members), pending: 0 }
      }
      const id = stagePending(transaction, subject, set.entity.name, ownerId, change, pending)
      // Discards the check if changes were pending, because this request did not check the members that those changes add, and if members are
      // repaired, because the steps of a repair need their rows.
      const isValid = checkSequence === transaction.sequence && pending.length === 0 && !isRepair
      return { change: id, checked: isValid ? { joining: change.joining, sequence: checkSequence } : undefined }
    },
  )
  if ('ids' in outcome) return outcome
  await finishSet({ accountId, subject }, set, ownerId, workTime.request(), { ...outcome, version }).catch(
    (error: unknown) =>
      // Logs the error without failing the request: the stored change continues in the background, and the response reports its progress.
      logLine('WARN', 'members_interrupted', describeError(error)),
  )
  return commit({ accountId, subject }, async (transaction) => {
    await set.check(transaction, ownerId)
    const { members, pending } = await readSet(transaction, set, ownerId)
    return { ids: members, pending: pending.reduce((sum, { ids }) => sum + ids.length, 0) }
  })
}

type StoredChange = { change: string; checked?: CheckedMembers | undefined }

/**
 * Writes one pending change of a set, or all pending changes if `change` is missing. After `budgetMs`, the follow-up consumer continues.
 */
export const finishSet = (
  author: Author,
  set: MemberSet,
  ownerId: string,
  budgetMs: number,
  { change, checked, version }: Partial<StoredChange> & { version?: AccountVersion } = {},
) =>
  finishInParts(
    author,
    { below: set.entity.name, id: ownerId, change },
    pendingStager(set, ownerId, change, checked),
    budgetMs,
    version,
  )

async function readSet(transaction: Transaction, { entity }: MemberSet, ownerId: string) {
  const { accountId } = transaction
  const [chunks, pending] = await Promise.all([
    transaction.members.chunks(membersPartition(accountId, entity.name, ownerId)),
    readPending(accountId, entity.name, ownerId),
  ])
  return { members: chunks.flatMap(({ ids }) => ids), pending }
}

/**
 * Computes the change that results in the requested members. Treats earlier pending changes as done, because their requests were accepted.
 * `isRepair` is true if a compared id differs from its row.
 */
async function computeChange(
  { accountId }: Transaction,
  { entity }: MemberSet,
  ownerId: string,
  { added, compared, keeps }: RequestedMembers,
  members: string[],
  pending: PendingPart[],
): Promise<SetChange & { isRepair: boolean }> {
  const set = new Set(members)
  for (const { joins, ids } of pending) for (const id of ids) joins ? set.add(id) : set.delete(id)
  const target = new Set([...[...set].filter(keeps), ...added])
  const present = new Set(members)
  const unchanged = [...new Set(compared)].filter((id) => target.has(id) === present.has(id))
  const haveRow = await checkExistence(unchanged.map((member) => linkKey(entity, accountId, { set: ownerId, member })))
  const split = unchanged.filter((id, i) => present.has(id) !== haveRow[i])
  return {
    leaving: [...members, ...split].filter((id) => !target.has(id)),
    joining: [...[...target].filter((id) => !present.has(id)), ...split.filter((id) => present.has(id))],
    isRepair: split.length > 0,
  }
}

/** Maximum number of members of a set, chosen so that all their ids fit in one response. */
const maxMembers = 100_000

/** Refuses additions that make a set too large. Removals alone are always accepted. @throws ApiError `validation_failed` */
export function refuseLargeSet({ envelope }: MemberSet, change: SetChange, members: string[]): void {
  const result = new Set([...members, ...change.joining])
  if (change.joining.length > 0 && result.size - change.leaving.length > maxMembers)
    throw invalidAt([envelope], `should have at most ${maxMembers} item(s)`)
}

async function checkMembersExist(
  account: string,
  set: MemberSet,
  requested: RequestedMembers,
): Promise<RequestedMembers> {
  const found = await checkExistence(requested.added.map((id) => entityKey(account, set.members, id)))
  const unknown = firstMessages(requested.added, (id, i) => (found[i] ? null : `${id} does not exist`))
  if (unknown.length > 0) throw invalidAt([set.envelope], ...unknown)
  return requested
}
