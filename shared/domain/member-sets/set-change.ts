import type { Transaction } from '../../commit/transaction.ts'
import { itemRow, type Row } from '../../table/entity.ts'
import { entityKey, type Key, partition } from '../../table/keys.ts'
import { getItem, getItems, whichExist } from '../../table/read.ts'
import type { MemberSet } from './member-set.ts'
import {
  membersPerCommit,
  type PendingPart,
  readPending,
  type SetChange,
  stagePart,
  stageRestOfPending,
} from './pending-change.ts'

export const sizeOf = ({ leaving, joining }: SetChange): number => leaving.length + joining.length

/** Stages that a member leaves or joins; null where nothing is to be done. */
type Step = ((transaction: Transaction) => void) | null

/** Stages a change that fits one commit; returns the members as they are then. */
export async function stageSetChange<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  { leaving, joining }: SetChange,
  members: string[],
): Promise<string[]> {
  const { accountId } = transaction
  const [leaves, joins] = await Promise.all([
    stepsOut(accountId, set, ownerId, leaving),
    stepsIn(accountId, set, ownerId, joining),
  ])
  const left = new Set(leaving.filter((_, i) => take(transaction, leaves[i])))
  const joined = joining.filter((_, i) => take(transaction, joins[i]))
  return [...members.filter((id) => !left.has(id)), ...joined].sort()
}

/** Ids that were found to be no members, but able to become one, in the state before a commit. */
export type Checked = { joining: string[]; sequence: number }

/** The members that are looked at at a time are at most those of so many commits. */
const mostAhead = 8

/** What is known of the state as long as no other commit comes: parts that are pending, and what is to be done for ids. */
type Known = { parts: PendingPart[]; areAll: boolean; steps: Map<string, Step> }

/**
 * Stages a change that is pending for a set, a part of it with each call. What somebody else has done already is passed
 * over, a change that another has replaced is left alone, and nothing is written to the set of an owner that is gone. While
 * each commit follows the one before it, what is known of the set stays true, and more of it is read at a time.
 */
export function pendingStager<M extends Row>(
  set: MemberSet<M>,
  ownerId: string,
  change?: string,
  checked?: Checked,
): (transaction: Transaction) => Promise<'done' | 'more'> {
  let known: Known | undefined
  let ahead = 1

  /** The first parts that are pending; null when the owner is gone. */
  async function partsFor({ accountId, follows, sequence }: Transaction): Promise<Known | null> {
    if (follows && known && (known.areAll || known.parts.length > 1)) return known
    const [owner, parts] = await Promise.all([
      follows && known ? true : getItem(entityKey(accountId, set.owners, ownerId)),
      readPending(accountId, set.entity.name, ownerId, follows ? undefined : 2),
    ])
    if (!owner) return null
    const areAll = follows || parts.length < 2
    if (follows && known) return { ...known, parts, areAll }
    ahead = 1
    const joining = checked && checked.sequence + 1 === sequence ? checked.joining : []
    return { parts, areAll, steps: new Map(joining.map((id) => [id, stepIn(set, ownerId, id)])) }
  }

  /** What is to be done for the first ids of a part, and maybe for some after them. */
  async function lookAt({ accountId }: Transaction, { joins }: PendingPart, ids: string[], steps: Known['steps']) {
    if (ids.slice(0, membersPerCommit).every((id) => steps.has(id))) return
    const some = ids.slice(0, ahead * membersPerCommit)
    const found = await (joins ? stepsIn : stepsOut)(accountId, set, ownerId, some)
    for (const [i, id] of some.entries()) steps.set(id, found[i] ?? null)
    ahead = Math.min(mostAhead, ahead * 2)
  }

  return async (transaction) => {
    const found = await partsFor(transaction)
    if (!found) return stageRestOfPending(transaction, set.entity.name, ownerId)
    known = found
    const { parts, steps } = found
    const [part, ...others] = parts
    if (!part || (change !== undefined && part.change !== change)) return 'done'
    let left = part.ids
    for (let staged = 0; staged === 0 && left.length > 0; left = left.slice(membersPerCommit)) {
      await lookAt(transaction, part, left, steps)
      for (const id of left.slice(0, membersPerCommit)) {
        if (take(transaction, steps.get(id))) staged++
        steps.delete(id)
      }
    }
    stagePart(transaction, part, left)
    known = { ...found, parts: left.length > 0 ? [{ ...part, ids: left }, ...others] : others }
    return known.parts.length > 0 ? 'more' : 'done'
  }
}

function take(transaction: Transaction, step: Step | undefined): boolean {
  step?.(transaction)
  return Boolean(step)
}

const rowKeys = <M extends Row>(accountId: string, { entity }: MemberSet<M>, ownerId: string, ids: string[]): Key[] =>
  ids.map((sk) => ({ pk: partition(accountId, entity.name, ownerId), sk }))

async function stepsOut<M extends Row>(
  accountId: string,
  set: MemberSet<M>,
  ownerId: string,
  ids: string[],
): Promise<Step[]> {
  const items = await getItems(rowKeys(accountId, set, ownerId, ids))
  return ids.map((id, i): Step => {
    const item = items[i]
    if (!item) return null
    return (transaction) => {
      transaction.delete(set.entity, itemRow(set.entity, item))
      if (set.revocation) transaction.revoke(set.revocation(ownerId, id))
    }
  })
}

/** A member can be deleted while a large set is written: it is left out, as its membership would be. */
async function stepsIn<M extends Row>(
  accountId: string,
  set: MemberSet<M>,
  ownerId: string,
  ids: string[],
): Promise<Step[]> {
  const [present, alive] = await Promise.all([
    whichExist(rowKeys(accountId, set, ownerId, ids)),
    whichExist(ids.map((id) => entityKey(accountId, set.members, id))),
  ])
  return ids.map((id, i) => (!present[i] && alive[i] ? stepIn(set, ownerId, id) : null))
}

const stepIn =
  <M extends Row>(set: MemberSet<M>, ownerId: string, id: string): Step =>
  (transaction) =>
    transaction.insert<M>(set.entity, set.row(ownerId, id))
