import { beforeAll, expect, it } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { listText } from '#shared/core/secrets/secret-list.ts'
import { secretVersions } from '#shared/core/secrets/service-secret.ts'
import { retiredVersion } from '#shared/jobs/secret-rotation/retired-version.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { storeSecret } from '#test/support/service/secret-process.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const create = (name: string, key: string) =>
  account.call(createGroup, {
    method: 'POST',
    path: '/groups',
    body: { group: { name } },
    headers: { 'idempotency-key': key },
  })
const named = async (name: string) => (await account.call(listGroups, { query: { name } })).body.data.length

it('repeats answers across versions of the service secret, and refuses what none can tell any more', async () => {
  const { minutes } = movableClock()
  const one = { version: '1', secret: process.env.SERVICE_SECRET as string }
  const two = { version: 'two', secret: 'another secret', from: '2026-01-01T00:00:00Z' }
  const first = await create('First', 'first')
  storeSecret(two, one)
  minutes(5)
  const second = await create('Second', 'second')
  for (const [name, key, answer] of [
    ['First', 'first', first],
    ['Second', 'second', second],
  ] as const) {
    const again = await create(name, key)
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([201, 'true', answer.text])
    expect((await create('Other', key)).body.code).toBe('idempotency_key_reused')
  }

  const old = (await secretVersions()).find(({ name }) => name === '1')
  const [left] = JSON.parse(listText([retiredVersion(old as NonNullable<typeof old>)]))
  storeSecret(two, left)
  minutes(5)
  expect((await create('First', 'first')).body.code).toBe('idempotency_key_reused')
  expect((await create('Second', 'second')).text).toBe(second.text)
  expect([await named('First'), await named('Second'), await named('Other')]).toEqual([1, 1, 0])
})
