import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createRule } from '#functions/v0/rules/create-v0-rule.ts'
import { handler as getRule } from '#functions/v0/rules/get-v0-rule.ts'
import { handler as listRules } from '#functions/v0/rules/list-v0-rules.ts'
import { handler as deleteUser } from '#functions/v0/users/delete-v0-user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Address, newV0Rule, newV0User } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const post = (rule: unknown, from = account) =>
  from.call(createRule, { method: 'POST', path: '/v0/rules', body: { rule } })
const refused = (errors: Record<string, string[]>) => [422, { errors }]
const overlap = { destination: ['destination overlaps with an existing rule'] }

it('creates a rule and returns it with a Location', async () => {
  const { status, headers, body } = await post({
    action: 'accept',
    destination: '198.51.100.7/24',
    port_type: 'tcp',
    port_range: '8000-8100',
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'accept',
      destination: '198.51.100.7/24',
      port_type: 'tcp',
      port_range: '8000 - 8100',
      user_id: null,
      inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: body.data.inserted_at,
    },
  })
  expect(headers).toMatchObject({ location: `/v0/rules/${body.data.id}`, link: '</policies>; rel="successor-version"' })
  const read = await account.call(getRule, { params: { id: body.data.id } })
  expect(read.body).toEqual(body)
  const commit = (await readCommits(account.id)).at(-1)
  expect(commit?.subject?.actor_id).toBe(account.apiClient.id)
  expect(commit?.changes).toEqual([{ object: 'v0_rules', operation: 'insert', before: null, after: body.data }])
})

describe('action', () => {
  it.each([
    ['accept', 'accept'],
    ['drop', 'drop'],
    [undefined, 'drop'],
    ['', 'drop'],
  ])('%j is %s', async (action, stored) => {
    expect((await newV0Rule(account, { action })).action).toBe(stored)
  })

  it.each([
    ['reject', 'is invalid'],
    ['Drop', 'is invalid'],
    [1, 'is invalid'],
    [null, "can't be blank"],
  ])('%j: %s', async (action, message) => {
    const { status, body } = await post({ action, destination: newV0Address() })
    expect([status, body]).toEqual(refused({ action: [message] }))
  })
})

describe('destination', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1/24', '192.0.2.1/24'],
    ['198.51.100.7/24', '198.51.100.7/24'],
    ['198.51.100.7/32', '198.51.100.7'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['2001:db8::7/128', '2001:db8::7'],
    ['::0/0', '::/0'],
    ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
  ])('%s is stored as %s', async (destination, stored) => {
    const { status, body } = await post({ destination }, await newAccount())
    expect([status, body.data?.destination]).toEqual([201, stored])
  })

  it.each([
    [undefined, "can't be blank"],
    ['', "can't be blank"],
    ['  ', "can't be blank"],
    [null, "can't be blank"],
    ['192.0.2.1/33', 'is invalid'],
    ['2001:db8::/129', 'is invalid'],
    ['192.0.2', 'is invalid'],
    ['192.0.2.1/024', 'is invalid'],
    ['192.0.2.1/', 'is invalid'],
    ['192.0.2.1/24/24', 'is invalid'],
    ['192.0.2.01', 'is invalid'],
    ['fe80::1%0', 'is invalid'],
    ['example.net', 'is invalid'],
    [' 192.0.2.1', 'is invalid'],
    [7, 'is invalid'],
    [['192.0.2.1'], 'is invalid'],
    ['192.0.2.1\0', 'is invalid'],
  ])('%j: %s', async (destination, message) => {
    const { status, body } = await post({ destination })
    expect([status, body]).toEqual(refused({ destination: [message] }))
  })
})

describe('ports', () => {
  it.each(
    withTitles([
      ['tcp', '443', '443'],
      ['udp', '1-65535', '1 - 65535'],
      ['tcp', [80, 90], '80 - 90'],
      ['tcp', '8000 - 8100', '8000 - 8100'],
      ['tcp', ' 8000 -8100 ', '8000 - 8100'],
      ['tcp', '83', '83'],
      ['tcp', '080', '80'],
      ['tcp', '5 - 5', '5'],
      ['tcp', '[8000, 8100]', '8000 - 8100'],
      ['tcp', '(7999, 8101)', '8000 - 8100'],
      ['tcp', '[8000, 8101)', '8000 - 8100'],
      ['tcp', `${'0'.repeat(400)}7`, '7'],
    ]),
  )('%s', async (_name, port_type, port_range, stored) => {
    expect(await newV0Rule(account, { port_type, port_range })).toMatchObject({ port_type, port_range: stored })
  })

  it.each([null, '', undefined])('%j for both ports means none', async (none) => {
    const rule = await newV0Rule(account, { port_type: none, port_range: none })
    expect(rule).toMatchObject({ port_type: null, port_range: null })
  })

  it.each(
    withTitles([
      ['icmp', '1', { port_type: ['is invalid'] }],
      ['TCP', '1', { port_type: ['is invalid'] }],
      [6, '1', { port_type: ['is invalid'] }],
      [null, '1', { port_type: ["can't be blank"] }],
      ['', '1', { port_type: ["can't be blank"] }],
      [undefined, '1', { port_type: ["can't be blank"] }],
      ['tcp', null, { port_range: ["can't be blank"] }],
      ['tcp', undefined, { port_range: ["can't be blank"] }],
      ['tcp', 443, { port_range: ['is invalid'] }],
      ['tcp', true, { port_range: ['is invalid'] }],
      ['tcp', {}, { port_range: ['is invalid'] }],
      ['tcp', [80], { port_range: ['is invalid'] }],
      ['tcp', ['80', '90'], { port_range: ['is invalid'] }],
      ['tcp', '443x', { port_range: ['bad format'] }],
      ['tcp', 'ssh', { port_range: ['bad format'] }],
      ['tcp', '80abc', { port_range: ['bad format'] }],
      ['tcp', '10-20-30', { port_range: ['bad format'] }],
      ['tcp', '-5', { port_range: ['bad format'] }],
      ['tcp', '   ', { port_range: ['bad format'] }],
      ['tcp', '90-80', { port_range: ['lower value cannot be higher than upper value'] }],
      ['tcp', [90, 80], { port_range: ['lower value cannot be higher than upper value'] }],
      ['tcp', '99999-80', { port_range: ['lower value cannot be higher than upper value'] }],
      ['tcp', '0-5', { port_range: ['port is not within valid range'] }],
      ['tcp', '65536', { port_range: ['port is not within valid range'] }],
      ['tcp', `1-${'9'.repeat(400)}`, { port_range: ['port is not within valid range'] }],
      ['icmp', null, { port_type: ['is invalid'] }],
      [null, 'ssh', { port_range: ['bad format'] }],
    ]),
  )('%s', async (_name, port_type, port_range, errors) => {
    const { status, body } = await post({ destination: newV0Address(), port_type, port_range })
    expect([status, body]).toEqual(refused(errors as never))
  })

  it('accepts only integers in an array, by their text', async () => {
    const send = (ports: string) =>
      account.call(createRule, {
        method: 'POST',
        rawBody: `{"rule":{"destination":"${newV0Address()}","port_type":"tcp","port_range":${ports}}}`,
      })
    expect((await send('[80,90]')).status).toBe(201)
    for (const ports of ['[80.0,90]', '[8e1,90]', '[80,90,100]', '[]'])
      expect((await send(ports)).body, ports).toEqual({ errors: { port_range: ['is invalid'] } })
    const huge = await send(`[1,${'9'.repeat(400)}]`)
    expect(huge.body).toEqual({ errors: { port_range: ['port is not within valid range'] } })
  })
})

describe('user_id', () => {
  it('is the id of a user in any case, or null', async () => {
    const { id } = await newV0User(account)
    expect((await newV0Rule(account, { user_id: id.toUpperCase() })).user_id).toBe(id)
    expect((await newV0Rule(account, { user_id: null })).user_id).toBeNull()
    expect((await newV0Rule(account, { user_id: '' })).user_id).toBeNull()
  })

  it.each(['x', 7, '42', 'ana@example.net'])('%j is invalid', async (user_id) => {
    const { status, body } = await post({ destination: newV0Address(), user_id })
    expect([status, body]).toEqual(refused({ user_id: ['is invalid'] }))
  })

  it('must exist in the account', async () => {
    const foreign = await newV0User(await newAccount())
    for (const user_id of [randomUUID(), foreign.id]) {
      const { status, body } = await post({ destination: newV0Address(), user_id })
      expect([status, body]).toEqual(refused({ user_id: ['does not exist'] }))
    }
  })

  it('is checked before an overlap, and reported alone', async () => {
    const { destination } = await newV0Rule(account)
    const { body } = await post({ destination, user_id: randomUUID() })
    expect(body).toEqual({ errors: { user_id: ['does not exist'] } })
  })

  it('is refused if the user is unknown or deleted concurrently', async () => {
    const { id } = await newV0User(account)
    const creates = Array.from({ length: 6 }, () => post({ destination: newV0Address(), user_id: id }))
    const [gone, ...answers] = await Promise.all([
      account.call(deleteUser, { method: 'DELETE', params: { id_or_email: id } }),
      ...creates,
    ])
    expect(gone.status).toBe(204)
    for (const { status, body } of answers) {
      if (status !== 201) expect([status, body]).toEqual(refused({ user_id: ['does not exist'] }))
      else expect((await account.call(getRule, { params: { id: body.data.id } })).status).toBe(404)
    }
    const left = (await account.call(listRules)).body.data.filter((rule: { user_id: string }) => rule.user_id === id)
    expect(left).toEqual([])
  })
})

it('reports the errors of all fields together', async () => {
  const { body } = await post({ action: 'reject' })
  expect(body).toEqual({ errors: { action: ['is invalid'], destination: ["can't be blank"] } })
})

it('ignores unknown and read-only keys', async () => {
  const made = await newV0Rule(account, { id: randomUUID(), inserted_at: '2020-01-01T00:00:00Z', colour: 'red' })
  expect(made).not.toHaveProperty('colour')
  expect(made.inserted_at > '2021').toBe(true)
})

describe('next to a global drop rule without ports and a global accept rule with ports', () => {
  let ownAccount: Awaited<ReturnType<typeof newAccount>>
  let user_id: string
  beforeAll(async () => {
    ownAccount = await newAccount()
    await newV0Rule(ownAccount, { action: 'drop', destination: '192.0.2.9/24' })
    await newV0Rule(ownAccount, {
      action: 'accept',
      destination: '203.0.113.0/24',
      port_type: 'tcp',
      port_range: '100 - 200',
    })
    user_id = (await newV0User(ownAccount)).id
  })

  it.each(['192.0.2.77', '192.0.2.1/25', '192.0.2.200/24', '192.0.0.0/16', '0.0.0.0/0'])(
    'drop %s overlaps',
    async (destination) => {
      const { status, body } = await post({ action: 'drop', destination }, ownAccount)
      expect([status, body]).toEqual(refused(overlap))
    },
  )

  it.each(['100 - 200', '150', '200 - 300', '1 - 100', '1 - 65535'])('accept tcp %s overlaps', async (port_range) => {
    for (const destination of ['203.0.113.128/25', '203.0.113.0/24', '203.0.112.0/23', '203.0.113.9']) {
      const { status, body } = await post({ action: 'accept', destination, port_type: 'tcp', port_range }, ownAccount)
      expect([status, body], destination).toEqual(refused(overlap))
    }
  })

  it.each([
    ['another family', { destination: '::/0' }],
    ['another action', { action: 'accept', destination: '192.0.2.9/24' }],
    ['a user', { destination: '192.0.2.9/24', user_id: 'user' }],
    ['ports', { destination: '192.0.2.9/24', port_type: 'tcp', port_range: '1 - 65535' }],
    ['higher ports', { action: 'accept', destination: '203.0.113.0/24', port_type: 'tcp', port_range: '201 - 300' }],
    ['lower ports', { action: 'accept', destination: '203.0.113.0/24', port_type: 'tcp', port_range: '1 - 99' }],
    ['udp', { action: 'accept', destination: '203.0.113.0/24', port_type: 'udp', port_range: '100 - 200' }],
    ['the previous network', { destination: '192.0.1.0/24' }],
    ['the next network', { destination: '192.0.3.0/24' }],
  ])('a rule with %s does not overlap', async (_, fields) => {
    const rule = 'user_id' in fields ? { ...fields, user_id } : fields
    expect((await post(rule, ownAccount)).status).toBe(201)
  })

  it('two rules of one user overlap, those of two users do not', async () => {
    const other = await newV0User(ownAccount)
    expect((await post({ destination: '10.0.0.0/8', user_id: other.id }, ownAccount)).status).toBe(201)
    expect((await post({ destination: '10.0.0.0/8', user_id }, ownAccount)).status).toBe(201)
    const second = await post({ destination: '10.1.0.0/16', user_id }, ownAccount)
    expect([second.status, second.body]).toEqual(refused(overlap))
  })

  it('ignores the rules of another account', async () => {
    const { destination } = await newV0Rule(await newAccount(), { destination: '192.0.2.9/24' })
    expect(destination).toBe('192.0.2.9/24')
  })
})

it('creates one of concurrent overlapping rules', async () => {
  const ownAccount = await newAccount()
  const destinations = ['10.0.0.0/8', '10.1.0.0/16', '10.1.1.0/24', '10.1.1.1', '10.0.0.0/7', '0.0.0.0/0']
  const answers = await Promise.all(
    [...destinations, ...destinations].map((destination) => post({ destination }, ownAccount)),
  )
  const made = answers.filter(({ status }) => status === 201)
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(422)])
  expect((await ownAccount.call(listRules)).body.data).toEqual(made.map(({ body }) => body.data))
})

it('finds an overlap among many rules of other networks, sizes and ports', async () => {
  const ownAccount = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const tcp = (destination: string, port_range: string) => ({ destination, port_type: 'tcp', port_range })
  // Creates more rules for one network than a single query returns.
  for (let i = 1; i <= 55; i++) await newV0Rule(ownAccount, tcp('10.0.0.0/24', `${i * 10}`))
  expect((await post(tcp('10.0.0.0/8', '545 - 555'), ownAccount)).body).toEqual({ errors: overlap })
  expect((await post(tcp('10.0.0.128/25', '549 - 550'), ownAccount)).body).toEqual({ errors: overlap })
  expect((await post(tcp('10.0.0.128/25', '541 - 549'), ownAccount)).status).toBe(201)
  expect((await post(tcp('10.0.0.0/8', '551 - 600'), ownAccount)).status).toBe(201)
})
