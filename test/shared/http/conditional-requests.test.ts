import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as createClientToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler as deleteClientTokens } from '#functions/api/client-tokens/delete-client-tokens.ts'
import { handler as startGatewaySession } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import { handler as getGateway } from '#functions/api/gateways/get-gateway.ts'
import { handler as updateGateway } from '#functions/api/gateways/update-gateway.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const newGroup = async (name: string) => {
  const { body, headers } = await account.call(createGroup, { method: 'POST', body: { group: { name } } })
  return { id: body.data.id as string, tag: headers.etag as string }
}
const rename = (id: string, name: string, headers: Record<string, string> = {}) =>
  account.call(updateGroup, { method: 'PATCH', params: { id }, body: { group: { name } }, headers })

describe('ETag', () => {
  it('is a strong tag on every response with a single object, equal across operations', async () => {
    const { id, tag } = await newGroup('Tagged')
    expect(tag).toMatch(/^"[\w-]+\.[\w-]+"$/)
    expect((await account.call(getGroup, { params: { id } })).headers.etag).toBe(tag)
    const renamed = await rename(id, 'Tagged anew')
    expect(renamed.headers.etag).not.toBe(tag)
    expect((await account.call(getGroup, { params: { id } })).headers.etag).toBe(renamed.headers.etag)
  })

  it("of a creation that returns a secret equals the object's", async () => {
    const site = (await account.call(createSite, { method: 'POST', body: { site: { name: 'Vault' } } })).body.data
    const made = await account.call(createGateway, { method: 'POST', params: { site_id: site.id } })
    const params = { site_id: site.id, id: made.body.data.id }
    expect((await account.call(getGateway, { params })).headers.etag).toBe(made.headers.etag)
  })

  it('is absent from lists and sets of members', async () => {
    const { id } = await newGroup('Untagged')
    const list = await account.call(listGroups)
    const members = await account.call(replaceMemberships, {
      method: 'PUT',
      params: { group_id: id },
      body: { memberships: [] },
    })
    expect([list.headers.etag, members.headers.etag]).toEqual([undefined, undefined])
  })
})

describe('If-None-Match', () => {
  it('returns 304 without a body if the whole tag matches', async () => {
    const { id, tag } = await newGroup('Known')
    for (const header of [tag, `"x.y", ${tag}`, `W/${tag}`, '*']) {
      const answer = await account.call(getGroup, { params: { id }, headers: { 'if-none-match': header } })
      expect([answer.status, answer.text, answer.headers.etag], header).toEqual([304, '', tag])
      expect(answer.headers['x-request-id']).toBeTruthy()
    }
    const other = await account.call(getGroup, { params: { id }, headers: { 'if-none-match': '"x.y"' } })
    expect(other.status).toBe(200)
  })

  it('is ignored by lists', async () => {
    expect((await account.call(listGroups, { headers: { 'if-none-match': '*' } })).status).toBe(200)
  })
})

describe('If-Match', () => {
  it('accepts only the change that names the newest edit', async () => {
    const { id, tag } = await newGroup('First')
    const second = await rename(id, 'Second', { 'if-match': tag })
    expect(second.status).toBe(200)
    const stale = await rename(id, 'Third', { 'if-match': tag })
    expect([stale.status, stale.body.code, stale.body.type]).toEqual([412, 'precondition_failed', 'about:blank'])
    const removal = await account.call(deleteGroup, { method: 'DELETE', params: { id }, headers: { 'if-match': tag } })
    expect(removal.status).toBe(412)
    expect((await account.call(getGroup, { params: { id } })).body.data.name).toBe('Second')
    const listed = await rename(id, 'Third', { 'if-match': `"a.b", ${second.headers.etag}` })
    expect(listed.status).toBe(200)
  })

  it('matches any existing object with *, and nothing with a weak or invalid tag', async () => {
    const { id, tag } = await newGroup('Star')
    expect((await rename(id, 'Stars', { 'if-match': '*' })).status).toBe(200)
    for (const header of [`W/${tag}`, 'nonsense', '', '""', tag.slice(0, -1)]) {
      expect((await rename(id, 'Weak', { 'if-match': header })).status, header).toBe(412)
    }
  })

  it('is checked after existence, and before refusals and validation', async () => {
    const { id } = await newGroup('Order')
    const stale = { 'if-match': '"x.y"' }
    expect((await rename('0198a000-0000-7000-8000-000000000000', 'x', stale)).status).toBe(404)
    expect((await rename(id, '', stale)).status).toBe(412)
    const everyone = (await account.call(listGroups, { query: { name: 'Everyone' } })).body.data[0]
    expect((await rename(everyone.id, 'x', stale)).status).toBe(412)
    expect((await rename(everyone.id, 'x')).body.code).toBe('managed_group')
  })

  it('does not conflict with changes that are not edits', async () => {
    const site = (await account.call(createSite, { method: 'POST', body: { site: { name: 'Live' } } })).body.data
    const made = await account.call(createGateway, { method: 'POST', params: { site_id: site.id } })
    const params = { site_id: site.id, id: made.body.data.id }
    const session = { session: { public_key: Buffer.alloc(32, 7).toString('base64'), version: '1.4.0' } }
    const started = await call(startGatewaySession, { method: 'POST', token: made.body.data.token, body: session })
    expect(started.status).toBe(201)

    const now = await account.call(getGateway, { params })
    expect(now.headers.etag).not.toBe(made.headers.etag)
    const headers = { 'if-match': made.headers.etag as string }
    const body = { gateway: { name: 'Renamed while live' } }
    expect((await account.call(updateGateway, { method: 'PATCH', params, body, headers })).status).toBe(200)
    expect((await account.call(deleteGateway, { method: 'DELETE', params, headers })).status).toBe(412)
  })

  it('accepts exactly one of concurrent writes with the same tag', async () => {
    const { id, tag } = await newGroup('Race')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => rename(id, `Winner ${i}`, { 'if-match': tag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  })

  it('never matches objects without a tag: sets of members and bulk deletions', async () => {
    const { id, tag } = await newGroup('Set')
    const put = (group_id: string, header: string) =>
      account.call(replaceMemberships, {
        method: 'PUT',
        params: { group_id },
        body: { memberships: [] },
        headers: { 'if-match': header },
      })
    expect((await put(id, tag)).status).toBe(412)
    expect((await put(id, '*')).status).toBe(200)
    expect((await put('0198a000-0000-7000-8000-000000000000', tag)).status).toBe(404)

    const actor = { name: 'Robot', type: 'service_account' }
    const robot = (await account.call(createActor, { method: 'POST', body: { actor } })).body.data
    const params = { actor_id: robot.id }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const token = await account.call(createClientToken, {
      method: 'POST',
      params,
      body: { client_token: { expires_at } },
    })
    const headers = { 'if-match': token.headers.etag as string }
    expect((await account.call(deleteClientTokens, { method: 'DELETE', params, headers })).status).toBe(412)
  })
})
