import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, invalid, notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { withDirectoryRuns } from '../sync/last-good-run.ts'
import { stageGroupDeletion } from './delete-group.ts'
import { type GroupFields, type GroupRow, groups, nativeGroup } from './group.ts'

type Input = v.InferOutput<typeof GroupFields>

export async function list(account: string, page: Page) {
  const { directory_id, ...others } = page.filters
  const edges = directory_id === undefined ? others : { ...others, directory_id: directory_id || 'none' }
  const { rows, metadata } = await listRows(groups, account, page, { edges })
  return { data: await withDirectoryRuns(account, rows), metadata }
}

export async function get(account: string, id: string) {
  const group = await getRow(groups, account, id)
  if (!group) throw notFound()
  const [data = group] = await withDirectoryRuns(account, [group])
  return { data }
}

export const create = (author: Author, input: () => Input) =>
  commit(author, async (transaction) => {
    const { name } = input()
    await checkName(transaction, name)
    return { data: transaction.insert(groups, { name, ...nativeGroup }) }
  })

/** Refusals come before the envelope here (A14.3). */
export const update = (author: Author, id: string, envelope: () => void, input: () => Partial<Input>) =>
  commit(author, async (transaction) => {
    const group = await unmanaged(transaction, id)
    if (group.idp_id !== null) throw new ApiError('synced_group', 'This group is synced from a directory.')
    envelope()
    const { name } = input()
    if (name !== undefined) await checkName(transaction, name, group)
    return { data: transaction.update(groups, group, { name }) }
  })

/** Deletes a group with its memberships; its policies stay, orphaned (A14.3). */
export const remove = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const group = await unmanaged(transaction, id)
    return (await stageGroupDeletion(transaction, group)) === 'more' ? 'more' : { done: { data: group } }
  })

async function unmanaged(transaction: Transaction, id: string): Promise<GroupRow> {
  const group = await transaction.get(groups, id)
  if (!group) throw notFound()
  if (group.is_managed) throw new ApiError('managed_group', 'The group Everyone is managed by the system.')
  return group
}

async function checkName(transaction: Transaction, name: string, except?: GroupRow): Promise<void> {
  if (await transaction.isTaken('groups.name', name, except)) throw invalid({ name: ['has already been taken'] })
}
