import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { readPage, walkPages } from '#test/support/largest/walk-pages.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
  await plantRows(
    account.id,
    policies,
    60,
    () => ({
      ...openPolicy,
      group_id: null,
      resource_id: randomUUID(),
      // Random bytes, which hardly compress and therefore keep the row large.
      conditions: [
        { property: 'remote_ip', operator: 'is_in_cidr', values: [randomBytes(130_000).toString('base64')] },
      ],
    }),
    [],
  )
})

it('reads hardly more of a list of large rows than the returned page', async () => {
  const request = { handler: listPolicies }
  let pages = 0
  const first: Consumed = await measure(() => readPage(account, request))
  const all = await measure(async () => {
    pages = (await walkPages(account, request)).pages
  })
  expect(pages).toBeGreaterThan(1)
  // Divides the total by the number of pages read: all pages when reading forward, and all but the last when reading backward.
  expect(first.reads / (all.reads / (2 * pages - 1))).toBeLessThan(1.5)
  expect(first.reads).toBeLessThan(all.reads / 3)
})
