import { expect, it } from 'vitest'
import { commitInParts } from '#shared/commit/commit-in-parts.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { rowsBy } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'

it('stops at the deadline with a remainder, and resumes there', async () => {
  const { id } = await newAccount()
  const author = { accountId: id, subject: null }
  const done = async () => (await rowsBy(groups, id, 'entity_type', 'org_unit')).length
  const work = (timeBudgetMs?: number) =>
    commitInParts(
      author,
      async (transaction) => {
        const made = await done()
        if (made === 3) return { done: 'complete' }
        transaction.insert(groups, {
          ...nativeGroup,
          name: `Unit ${made}`,
          entity_type: 'org_unit',
          idp_id: `unit-${made}`,
        })
        return 'more'
      },
      timeBudgetMs,
    )
  await expect(work(-1)).rejects.toMatchObject({
    code: 'unavailable',
    detail: 'Only part of the change was made. Repeat the request to complete it.',
    headers: { 'retry-after': '1' },
  })
  expect(await done()).toBe(1)
  expect(await work()).toBe('complete')
  expect(await done()).toBe(3)
})
