import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { handler as getRule } from '#functions/v0/rules/get-v0-rule.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Rule } from '#test/support/accounts/v0.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const get = (id: string) => account.call(getRule, { params: { id } })

it('finds a rule by its id in any case', async () => {
  const rule = await newV0Rule(account)
  for (const id of [rule.id, rule.id.toUpperCase()]) {
    const { status, body } = await get(id)
    expect([status, body]).toEqual([200, { data: rule }])
  }
})

it('returns 404 for an invalid or unknown id, and for a rule of another account', async () => {
  const foreign = await newV0Rule(await newAccount())
  for (const id of ['1', '', 'new', '0'.repeat(24), `${randomUUID()}0`, randomUUID(), foreign.id]) {
    const { status, body } = await get(id)
    expect([status, body], id).toEqual([404, { error: 'not_found' }])
  }
})
