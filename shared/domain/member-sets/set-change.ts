import type { Revocation } from '../../commit/revoke.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Entity, itemRow } from '../../table/entity.ts'
import { entityKey, partition } from '../../table/keys.ts'
import { checkExistence, getItem, getItems, queryItems } from '../../table/read.ts'
import {
  membersPerCommit,
  type PendingPart,
  readPending,
  type SetChange,
  stagePart,
  stagePendingDeletions,
} from './pending-change.ts'

export const sizeOf = ({ leaving, joining }: SetChange): number => leaving.length + joining.length

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
  return [...members.filter((id) => !leavers.has(id)), ...joiners].sort()
}

/** Ids that existed and were not yet members at the given sequence, so they can be added without another check. */
export type CheckedMembers = { joining: string[]; sequence: number }

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
    for (
      let stagedCount = 0;
      stagedCount === 0 && remainingIds.length > 0;
      remainingIds = remainingIds.slice(membersPerCommit)
    ) {
      await readSteps(transaction, part, remainingIds, steps)
      for (const id of remainingIds.slice(0, membersPerCommit)) {
        if (runStep(transaction, steps.get(id))) stagedCount++
        steps.delete(id)
      }
    }
    stagePart(transaction, part, remainingIds)
    cache = { ...found, parts: remainingIds.length > 0 ? [{ ...part, ids: remainingIds }, ...others] : others }
    return cache.parts.length > 0 ? 'more' : 'done'
  }
}

function runStep(transaction: Transaction, step: Step | undefined): boolean {
  step?.(transaction)
  return Boolean(step)
}

/**
 * Reads the rows of members. Members that are removed together are usually neighbours, and a query of neighbours costs a
 * tenth of reading each of them.
 */
async function readMembers(pk: string, ids: string[]) {
  const [first] = ids.toSorted()
  if (first === undefined) return []
  const neighbours = await queryItems(pk, { after: first, inclusive: true, limit: ids.length })
  const last = neighbours.length < ids.length ? undefined : neighbours.at(-1)?.sk
  const beyond = last === undefined ? [] : ids.filter((id) => id > last)
  const others = await getItems(beyond.map((sk) => ({ pk, sk })))
  const found = new Map([...neighbours, ...others].map((item) => [item?.sk, item]))
  return ids.map((id) => found.get(id))
}

/** Plans a step for each id. A member that was deleted in the meantime is not added. */
async function planSteps({ accountId }: Transaction, set: MemberSet, ownerId: string, joins: boolean, ids: string[]) {
  const pk = partition(accountId, set.entity.name, ownerId)
  const [rows, existence] = await Promise.all([
    joins ? getItems(ids.map((sk) => ({ pk, sk }))) : readMembers(pk, ids),
    joins ? checkExistence(ids.map((id) => entityKey(accountId, set.members, id))) : [],
  ])
  return ids.map((id, i): Step => {
    const row = rows[i]
    if (joins) return !row && existence[i] ? additionStep(set, ownerId, id) : null
    if (!row) return null
    return (transaction) => {
      transaction.delete(set.entity, itemRow(set.entity, row))
      if (set.revocation) transaction.revoke(set.revocation(ownerId, id))
    }
  })
}

const additionStep =
  (set: MemberSet, ownerId: string, id: string): Step =>
  (transaction) =>
    transaction.insert(set.entity, set.row(ownerId, id))

/** A kind of set that is replaced or edited as a whole: the actors in a group (A15), or the clients in a pool (A19). */
export type MemberSet = {
  /** Entity of the membership rows, which are keyed by member id within the owner's partition. */
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
