import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { invalid } from '../../core/errors.ts'
import type { Row } from '../../table/entity.ts'
import { entityKey, partition } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import type { MemberSet } from './member-set.ts'
import { isDone, membersPerCommit, type SetChange, stageNextPart, stageSetChange } from './set-change.ts'

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

/**
 * Brings the members of a set to what is wanted, removals first (A15.6); unchanged ones keep their membership (A15.5).
 * `check` tests the owner in every part, `read` the request once. Returns the ids of the resulting set, sorted.
 */
export function changeMembers<M extends Row>(
  author: Author,
  set: MemberSet<M>,
  ownerId: string,
  check: (transaction: Transaction) => Promise<unknown>,
  read: () => Wanted,
): Promise<string[]> {
  const { accountId } = author
  let wanted: Wanted | undefined
  let backlog: SetChange | undefined
  let worked = false
  return commitInParts<string[]>(author, async (transaction) => {
    await check(transaction)
    wanted ??= await withExisting(accountId, set, read())
    if (!backlog) {
      const items = await queryItems(partition(accountId, set.entity.name, ownerId))
      const members = items.map(({ sk }) => sk as string)
      if (worked) return { done: members }
      const whole = differenceOf(wanted, members)
      const fits = whole.leaving.length + whole.joining.length <= membersPerCommit
      if (fits) return { done: await stageSetChange(transaction, set, ownerId, whole, members) }
      backlog = whole
    }
    await stageNextPart(transaction, set, ownerId, backlog)
    // With nothing left to do the set is read once more, to answer with it.
    worked = isDone(backlog)
    if (worked) backlog = undefined
    return 'more'
  })
}

function differenceOf({ added, keeps }: Wanted, members: string[]): SetChange {
  const present = new Set(members)
  return { leaving: members.filter((id) => !keeps(id)), joining: added.filter((id) => !present.has(id)) }
}

/** All checks precede the first write. @throws ApiError `validation_failed` for members that do not exist */
async function withExisting<M extends Row>(account: string, set: MemberSet<M>, wanted: Wanted): Promise<Wanted> {
  const found = await getItems(wanted.added.map((id) => entityKey(account, set.members, id)))
  const unknown = wanted.added.filter((_, i) => found[i] === undefined)
  if (unknown.length > 0) throw invalid({ [set.envelope]: unknown.map((id) => `${id} does not exist`) })
  return wanted
}
