import type { Revocation } from '../../commit/revoke.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Entity, itemRow } from '../../table/entity.ts'
import { entityKey, membersPartition } from '../../table/keys.ts'
import { containsId, fittingCount } from '../../table/member-ids.ts'
import { checkExistence, getItem } from '../../table/read.ts'
import {
  membersPerCommit,
  type PendingPart,
  readLinks,
  readPending,
  type SetChange,
  stagePart,
  stagePendingDeletions,
} from './pending-change.ts'

/** Stages the addition or removal of one member. Null if the member is already added or removed. */
type Step = ((transaction: Transaction) => void) | null

/** Stages a change that fits in one commit. Returns the sorted ids of the resulting members. */
export async function stageSetChange(
  transaction: Transaction,
  set: MemberSet,
  ownerId: string,
  { leaving, joining }: SetChange,
  members: string[],
): Promise<string[]> {
  const [leaves, joins] = await Promise.all([
    planSteps(transaction, set, ownerId, false, leaving),
    planSteps(transaction, set, ownerId, true, joining),
  ])
  const leavers = new Set(leaving.filter((_, i) => runStep(transaction, leaves[i])))
  const joiners = joining.filter((_, i) => runStep(transaction, joins[i]))
  return [...new Set([...members.filter((id) => !leavers.has(id)), ...joiners])].sort()
}

/** Ids that existed and were not yet members at the given sequence, so they can be added without another check. */
export type CheckedMembers = { joining: string[]; sequence: number }

/** Maximum number of writes of members and chunks of their ids per commit. The chunks can be split with the few that are left. */
const maxMemberWrites = 92

/** Maximum number of commits for which members are read ahead. */
const maxAhead = 8

/** Cached pending parts, and the steps by member id. The cache is valid until a different request commits to the account. */
type PendingCache = { parts: PendingPart[]; areAll: boolean; steps: Map<string, Step> }

/**
 * Creates a function that stages one part of a set's pending change per call. It skips members that are already added or removed, and stops
 * if a newer change has replaced this one. If the owner was deleted, it deletes the pending parts. While no other commit intervenes, its
 * cache stays valid and it reads more members ahead.
 */
export function pendingStager(set: MemberSet, ownerId: string, change?: string, checked?: CheckedMembers) {
  let cache: PendingCache | undefined
  let ahead = 1

  /** Reads the first pending parts. Returns null if the owner was deleted. */
  async function readParts({ accountId, follows, sequence }: Transaction): Promise<PendingCache | null> {
    if (follows && cache && (cache.areAll || cache.parts.length > 1)) return cache
    const [owner, parts] = await Promise.all([
      follows && cache ? true : getItem(entityKey(accountId, set.owners, ownerId)),
      readPending(accountId, set.entity.name, ownerId, follows ? undefined : 2),
    ])
    if (!owner) return null
    const areAll = follows || parts.length < 2
    if (follows && cache) return { ...cache, parts, areAll }
    ahead = 1
    const joining = checked && checked.sequence + 1 === sequence ? checked.joining : []
    return { parts, areAll, steps: new Map(joining.map((id) => [id, additionStep(set, ownerId, id)])) }
  }

  /** Plans the steps for the next commit, and reads ahead for later ids. */
  async function readSteps(
    transaction: Transaction,
    { joins }: PendingPart,
    ids: string[],
    steps: PendingCache['steps'],
  ) {
    if (ids.slice(0, membersPerCommit).every((id) => steps.has(id))) return
    const some = ids.slice(0, ahead * membersPerCommit)
    const found = await planSteps(transaction, set, ownerId, joins, some)
    for (const [i, id] of some.entries()) steps.set(id, found[i] ?? null)
    ahead = Math.min(maxAhead, ahead * 2)
  }

  return async (transaction: Transaction) => {
    const found = await readParts(transaction)
    if (!found) return stagePendingDeletions(transaction, set.entity.name, ownerId)
    cache = found
    const { parts, steps } = found
    const [part, ...others] = parts
    if (!part || (change !== undefined && part.change !== change)) return 'done'
    let remainingIds = part.ids
    let stagedCount = 0
    while (stagedCount === 0 && remainingIds.length > 0) {
      await readSteps(transaction, part, remainingIds, steps)
      const count = await countFitting(transaction, set, ownerId, remainingIds)
      for (const id of remainingIds.slice(0, count)) {
        if (runStep(transaction, steps.get(id))) stagedCount++
        steps.delete(id)
      }
      remainingIds = remainingIds.slice(count)
    }
    stagePart(transaction, part, remainingIds)
    cache = { ...found, parts: remainingIds.length > 0 ? [{ ...part, ids: remainingIds }, ...others] : others }
    return cache.parts.length > 0 ? 'more' : 'done'
  }
}

/** True if a change fits in one commit. */
export async function fitsCommit(transaction: Transaction, set: MemberSet, ownerId: string, change: SetChange) {
  const ids = [...change.leaving, ...change.joining].sort()
  return ids.length <= membersPerCommit && (await countFitting(transaction, set, ownerId, ids)) === ids.length
}

/** Returns how many of the sorted ids a commit can add or remove. */
async function countFitting(transaction: Transaction, { entity }: MemberSet, ownerId: string, ids: string[]) {
  const some = ids.slice(0, membersPerCommit)
  const chunks = await transaction.members.chunks(membersPartition(transaction.accountId, entity.name, ownerId), some)
  return fittingCount(chunks, some, maxMemberWrites)
}

function runStep(transaction: Transaction, step: Step | undefined): boolean {
  step?.(transaction)
  return Boolean(step)
}

/** Plans a step for each id. A member that was deleted in the meantime is not added. */
async function planSteps(transaction: Transaction, set: MemberSet, ownerId: string, joins: boolean, ids: string[]) {
  const { accountId } = transaction
  const pk = membersPartition(accountId, set.entity.name, ownerId)
  const [rows, chunks, existence] = await Promise.all([
    readLinks(accountId, set.entity, ownerId, ids),
    transaction.members.chunks(pk, ids),
    joins ? checkExistence(ids.map((id) => entityKey(accountId, set.members, id))) : [],
  ])
  return ids.map((id, i): Step => {
    const row = rows[i]
    const isListed = containsId(chunks, id)
    const shouldBeMember = joins && (row !== undefined || existence[i] === true)
    let step: Step = null
    if (shouldBeMember && !row) step = additionStep(set, ownerId, id)
    if (!joins && (row || isListed)) step = removalStep(set, ownerId, id, row)
    if (isListed === (row !== undefined)) return step
    // Repairs a set of which a restore has lost the row or the id.
    return (transaction) => {
      transaction.members.repair(pk, id, shouldBeMember)
      step?.(transaction)
    }
  })
}

/** Removes a member. Revokes access even without a row, because a restore can lose the row but not the authorizations. */
const removalStep =
  ({ entity, revocation }: MemberSet, ownerId: string, id: string, row?: Record<string, unknown>): Step =>
  (transaction) => {
    if (row) transaction.delete(entity, itemRow(entity, row))
    if (revocation) transaction.revoke(revocation(ownerId, id))
  }

const additionStep =
  (set: MemberSet, ownerId: string, id: string): Step =>
  (transaction) =>
    transaction.insert(set.entity, set.row(ownerId, id))

/** A kind of set that is replaced or edited as a whole: the actors in a group (A15), or the clients in a pool (A19). */
export type MemberSet = {
  /** Entity of the rows that link members to their owners. */
  entity: Entity
  owners: string
  members: string
  /** Name of the member's id in a request entry and in a row, such as `actor_id`. */
  key: string
  /** Name of the envelope in the request body, also used as the field name in validation messages. */
  envelope: string
  /** Noun for a member in messages: `actor`, `device`. */
  noun: string
  /** Noun for a list of members in messages: `actor ids`, `client ids`. */
  idsNoun: string
  /** Returns whether an entry of a `PUT` request has an id. */
  isGiven: (id: unknown) => boolean
  /** Returns whether `add` or `remove` of a `PATCH` request is a list of ids. */
  isList: (sent: unknown) => boolean
  /** Checks that the members of an owner can be changed. @throws ApiError */
  check: (transaction: Transaction, ownerId: string) => Promise<unknown>
  row: (ownerId: string, memberId: string) => Record<string, string>
  /** Returns which authorizations to revoke when a member is removed. */
  revocation?: (ownerId: string, memberId: string) => Revocation
}
