import { expect, it } from 'vitest'
import { handler as deleteRule } from '#functions/v0/rules/delete-v0-rule.ts'
import { handler as getRule } from '#functions/v0/rules/get-v0-rule.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Rule } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

it('deletes a rule, then returns 404, and allows an equal rule', async () => {
  const account = await newAccount()
  const rule = await newV0Rule(account, { destination: '192.0.2.0/24', port_type: 'udp', port_range: '53' })
  const remove = () => account.call(deleteRule, { method: 'DELETE', params: { id: rule.id } })
  const { status, text, headers } = await remove()
  expect([status, text, headers['content-type']]).toEqual([204, '', 'application/json; charset=utf-8'])
  expect((await readCommits(account.id)).at(-1)?.changes).toEqual([
    { object: 'v0_rules', operation: 'delete', before: rule, after: null },
  ])
  const afterwards = [await account.call(getRule, { params: { id: rule.id } }), await remove()]
  for (const { status, body } of afterwards) expect([status, body]).toEqual([404, { error: 'not_found' }])
  await newV0Rule(account, { destination: '192.0.2.0/24', port_type: 'udp', port_range: '53' })
})
