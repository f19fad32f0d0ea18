import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getRule } from '#functions/v0/rules/get-v0-rule.ts'
import { handler as updateRule } from '#functions/v0/rules/update-v0-rule.ts'
import { handler as deleteUser } from '#functions/v0/users/delete-v0-user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Address, newV0Rule, newV0User } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const patch = (id: string, rule: unknown, method = 'PATCH', from = account) =>
  from.call(updateRule, { method, params: { id }, body: { rule } })
const read = async (id: string) => (await account.call(getRule, { params: { id } })).body.data
const newTcpRule = () => newV0Rule(account, { action: 'accept', port_type: 'tcp', port_range: '8000-8100' })
const overlap = { errors: { destination: ['destination overlaps with an existing rule'] } }

it.each(['PATCH', 'PUT'])('%s changes only the sent fields', async (method) => {
  const rule = await newTcpRule()
  const destination = newV0Address()
  const { status, body } = await patch(rule.id.toUpperCase(), { destination }, method)
  expect([status, body.data]).toEqual([200, { ...rule, destination, updated_at: body.data.updated_at }])
  expect(body.data.updated_at > rule.updated_at).toBe(true)
  expect(await read(rule.id)).toEqual(body.data)
  const change = (await readCommits(account.id)).at(-1)?.changes
  expect(change).toEqual([{ object: 'v0_rules', operation: 'update', before: rule, after: body.data }])
})

it('accepts a rule as it was returned, unchanged or with one changed field', async () => {
  const { id: user_id } = await newV0User(account)
  for (const rule of [await newV0Rule(account, { user_id }), await newTcpRule(), await newV0Rule(account)]) {
    expect((await patch(rule.id, rule, 'PUT')).body.data).toEqual(rule)
    const changed = await patch(rule.id, { ...rule, action: rule.action === 'drop' ? 'accept' : 'drop' }, 'PUT')
    expect(changed.status).toBe(200)
    expect(changed.body.data).toEqual({ ...rule, action: changed.body.data.action, updated_at: expect.any(String) })
    expect(changed.body.data.action).not.toBe(rule.action)
  }
})

it('writes nothing if all values are equal', async () => {
  const rule = await newTcpRule()
  const before = (await readCommits(account.id)).length
  const same = [
    {},
    { action: 'accept' },
    { destination: `${rule.destination.toUpperCase()}/128` },
    { port_range: '8000-8100' },
    { port_range: '8000 - 8100' },
    { port_range: [8000, 8100] },
    { user_id: null },
    { user_id: '' },
    { colour: 1, id: randomUUID(), inserted_at: 5 },
  ]
  for (const fields of same) {
    const { status, body } = await patch(rule.id, fields)
    expect([status, body.data], JSON.stringify(fields)).toEqual([200, rule])
  }
  expect((await readCommits(account.id)).length).toBe(before)
})

it('removes the ports when both are sent as null', async () => {
  const rule = await newTcpRule()
  const refused = await patch(rule.id, { port_type: null })
  expect([refused.status, refused.body]).toEqual([422, { errors: { port_type: ["can't be blank"] } }])
  const { status, body } = await patch(rule.id, { port_type: null, port_range: null })
  expect([status, body.data]).toMatchObject([200, { port_type: null, port_range: null }])
})

it.each(
  withTitles([
    [{ action: 'reject' }, { action: ['is invalid'] }],
    [{ action: 'Drop' }, { action: ['is invalid'] }],
    [{ action: null }, { action: ["can't be blank"] }],
    [{ destination: null }, { destination: ["can't be blank"] }],
    [{ destination: '' }, { destination: ["can't be blank"] }],
    [{ destination: ' ' }, { destination: ["can't be blank"] }],
    [{ destination: '192.0.2.1/33' }, { destination: ['is invalid'] }],
    [{ port_range: null }, { port_range: ["can't be blank"] }],
    [{ port_range: '90-80' }, { port_range: ['lower value cannot be higher than upper value'] }],
    [{ port_range: 443 }, { port_range: ['is invalid'] }],
    [{ port_type: 'icmp' }, { port_type: ['is invalid'] }],
    [{ port_type: 'icmp', port_range: null }, { port_type: ['is invalid'] }],
    [{ user_id: 'x' }, { user_id: ['is invalid'] }],
    [{ user_id: randomUUID() }, { user_id: ['does not exist'] }],
    [
      { action: 1, destination: 2, port_type: 3, port_range: 4, user_id: 5 },
      {
        action: ['is invalid'],
        destination: ['is invalid'],
        port_type: ['is invalid'],
        port_range: ['is invalid'],
        user_id: ['is invalid'],
      },
    ],
  ]),
)('%s', async (_name, fields, errors) => {
  const rule = await newTcpRule()
  const { status, body } = await patch(rule.id, fields)
  expect([status, body]).toEqual([422, { errors }])
  expect(await read(rule.id)).toEqual(rule)
})

it('stores an empty action as drop', async () => {
  const rule = await newTcpRule()
  expect((await patch(rule.id, { action: '' })).body.data.action).toBe('drop')
})

it('sets, changes and removes the user', async () => {
  const [first, second] = [await newV0User(account), await newV0User(account)]
  const rule = await newV0Rule(account)
  for (const user_id of [first.id, second.id.toUpperCase(), null]) {
    const { status, body } = await patch(rule.id, { user_id })
    expect([status, body.data.user_id]).toEqual([200, user_id?.toLowerCase() ?? null])
  }
})

it('is deleted with its new user', async () => {
  const user = await newV0User(account)
  const rule = await newV0Rule(account)
  await patch(rule.id, { user_id: user.id })
  await account.call(deleteUser, { method: 'DELETE', params: { id_or_email: user.id } })
  expect((await patch(rule.id, {})).status).toBe(404)
  await newV0Rule(account, { destination: rule.destination })
})

describe('overlap', () => {
  it('is refused for changed fields, and ignores the rule itself', async () => {
    const ownAccount = await newAccount()
    const first = await newV0Rule(ownAccount, { destination: '10.0.0.0/16', port_type: 'tcp', port_range: '1 - 100' })
    const second = await newV0Rule(ownAccount, {
      destination: '10.0.0.0/16',
      port_type: 'tcp',
      port_range: '101 - 200',
    })
    const change = (id: string, fields: object) => patch(id, fields, 'PATCH', ownAccount)
    for (const fields of [
      { port_range: '100 - 200' },
      { port_range: '50' },
      { destination: '10.0.3.0/24', port_range: '1' },
      { destination: '0.0.0.0/0', port_range: '1' },
    ]) {
      const { status, body } = await change(second.id, fields)
      expect([status, body], JSON.stringify(fields)).toEqual([422, overlap])
    }
    for (const fields of [
      { port_range: '101 - 300' },
      { destination: '10.0.3.0/24' },
      { destination: '10.0.0.0/8' },
      { destination: '10.0.0.9/16', port_range: '150' },
      { port_type: 'udp', port_range: '1 - 100' },
      { action: 'accept', port_type: 'tcp' },
      { action: 'accept', destination: '0.0.0.0/0' },
    ]) {
      expect((await change(second.id, fields)).status, JSON.stringify(fields)).toBe(200)
    }
    const back = await change(second.id, { action: 'drop' })
    expect([back.status, back.body]).toEqual([422, overlap])
    expect((await change(first.id, { port_range: '1 - 65535' })).status).toBe(200)
  })

  it('is refused when a user is removed or set', async () => {
    const ownAccount = await newAccount()
    const user = await newV0User(ownAccount)
    await newV0Rule(ownAccount, { destination: '10.0.0.0/8' })
    const rule = await newV0Rule(ownAccount, { destination: '10.0.0.0/9', user_id: user.id })
    const { status, body } = await patch(rule.id, { user_id: null }, 'PATCH', ownAccount)
    expect([status, body]).toEqual([422, overlap])
  })

  it('is refused for all except one of concurrent changes', async () => {
    const ownAccount = await newAccount()
    const rules = [
      await newV0Rule(ownAccount),
      await newV0Rule(ownAccount),
      await newV0Rule(ownAccount),
      await newV0Rule(ownAccount),
    ]
    const answers = await Promise.all(
      rules.map(({ id }, i) => patch(id, { destination: `10.${i}.0.0/${8 - i}` }, 'PATCH', ownAccount)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
  })
})

it('keeps fields that only one of two concurrent updates sends', async () => {
  const rule = await newTcpRule()
  const destination = newV0Address()
  await Promise.all([patch(rule.id, { destination }), patch(rule.id, { port_type: 'udp' })])
  expect(await read(rule.id)).toMatchObject({ destination, port_type: 'udp' })
})
