import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import { ApiError } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { getRendered, listRendered } from '../reads.ts'
import { withLastRuns } from '../sync/sync-state.ts'
import { type GroupFields, type GroupRow, groups, nativeGroup, unmanaged } from './group.ts'

type Input = v.InferOutput<typeof GroupFields>

const render = (account: string, rows: GroupRow[]) => withLastRuns(account, rows, ({ directory_id }) => directory_id)

export const get = (account: string, id: string) => getRendered(groups, account, id, render)

export function list(account: string, page: Page) {
  const { directory_id, ...others } = page.filters
  const indexes = directory_id === undefined ? others : { ...others, directory_id: directory_id || 'none' }
  return listRendered(groups, account, page, { indexes, render })
}

export const create = (author: Author, draft: () => Draft<Input>) =>
  commit(author, async (transaction) => {
    const checked = draft()
    await rejectTaken(transaction, checked, groups)
    return { data: transaction.insert(groups, { ...checked.done(), ...nativeGroup }) }
  })

/** Updates a group. Refuses managed and synced groups before it checks the request's envelope (A14.3). */
export const update = (author: Author, id: string, envelope: () => void, draft: () => Draft<Partial<Input>>) =>
  commit(author, async (transaction) => {
    const group = await unmanaged(transaction, id)
    if (group.idp_id !== null) throw new ApiError('synced_group', 'This group is synced from a directory.')
    envelope()
    const checked = draft()
    await rejectTaken(transaction, checked, groups, group)
    return { data: transaction.update(groups, group, { ...checked.done() }) }
  })
