import { expect, it } from 'vitest'
import { handler as createRule } from '#functions/v0/rules/create-v0-rule.ts'
import { handler as deleteRule } from '#functions/v0/rules/delete-v0-rule.ts'
import { handler as getRule } from '#functions/v0/rules/get-v0-rule.ts'
import { handler as listRules } from '#functions/v0/rules/list-v0-rules.ts'
import { handler as updateRule } from '#functions/v0/rules/update-v0-rule.ts'
import { handler as deleteUser } from '#functions/v0/users/delete-v0-user.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Rule, newV0User } from '#test/support/accounts/v0.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

it('starts empty and returns all rules by insertion, or a page of them', async () => {
  const account = await newAccount()
  const list = async (query: Record<string, string> = {}) =>
    (await account.call(listRules, { path: '/v0/rules', query })).body
  expect(await list()).toEqual({ data: [] })
  const rules = [await newV0Rule(account), await newV0Rule(account), await newV0Rule(account)]
  expect(await list()).toEqual({ data: rules })
  const page = await list({ limit: '2' })
  expect(page.data).toEqual(rules.slice(0, 2))
  expect(page.metadata).toMatchObject({ limit: 2, prev_page: null, count: 3, total: 3 })
  const rest = await list({ page_cursor: page.metadata.next_page, limit: '2' })
  expect(rest.data).toEqual(rules.slice(2))
  await newV0Rule(await newAccount())
  expect((await list()).data).toHaveLength(3)
})

it('omits the rules of a deleted user, however many remain to be deleted', async () => {
  const account = await newAccount()
  const { id } = await newV0User(account)
  const kept = await newV0Rule(account)
  await plantRows(account.id, v0Rules, 150, (i) => ({
    action: 'drop' as const,
    destination: `10.0.${i}.0/24`,
    port_type: null,
    port_range: null,
    user_id: id,
  }))
  const before = (await account.call(listRules)).body.data
  expect(before).toHaveLength(151)
  const last = before.at(-1)
  await account.call(deleteUser, { method: 'DELETE', params: { id_or_email: id } })

  expect((await account.call(listRules)).body).toEqual({ data: [kept] })
  const page = (await account.call(listRules, { query: { limit: '5' } })).body
  expect([page.data, page.metadata.total, page.metadata.next_page]).toEqual([[kept], 1, null])
  for (const request of [
    { handler: getRule },
    { handler: updateRule, method: 'PATCH', body: { rule: {} } },
    { handler: deleteRule, method: 'DELETE' },
  ]) {
    const { handler, ...rest } = request
    expect((await account.call(handler, { ...rest, params: { id: last.id } })).status).toBe(404)
  }
  const body = { rule: { destination: '10.0.149.0/24', user_id: id } }
  const answer = await account.call(createRule, { method: 'POST', body })
  expect([answer.status, answer.body]).toEqual([422, { errors: { user_id: ['does not exist'] } }])

  await followUpAll(account.id)
  const after = (await account.call(listRules, { query: { limit: '5' } })).body
  expect([after.data, after.metadata.total]).toEqual([[kept], 1])
})
