import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as deleteToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as deleteTokens } from '#functions/api/client-tokens/delete-client-tokens.ts'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as unverifyClient } from '#functions/api/clients/unverify-client.ts'
import { handler as verifyClient } from '#functions/api/clients/verify-client.ts'
import { handler as deleteGatewayToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import { handler as rotateToken } from '#functions/api/gateways/rotate-gateway-token.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as editMemberships } from '#functions/api/memberships/edit-memberships.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock } from '#shared/core/clock.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { end, heartbeat, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'

type World = Awaited<ReturnType<typeof granted>>

async function granted(conditions: Parameters<typeof newAccessWorld>[0] = []) {
  const world = await newAccessWorld(conditions)
  const gateway = await world.addGateway()
  const key = publicKey()
  const session = (await world.startSession({ public_key: key })).body.data
  const authorization = (await world.ask({ resource_id: world.resource.id })).body.data
  const { since } = (await heartbeat(gateway.token, gateway.session.id)).body.data
  const changed = async () => (await heartbeat(gateway.token, gateway.session.id, { session: { since } })).body.data
  return { ...world, gateway, key, session, authorization, changed }
}

const policyOf = (fields: unknown) => (w: World) =>
  w.account.call(updatePolicy, { method: 'PATCH', params: { id: w.policy.id }, body: { policy: fields } })
const resourceOf = (fields: unknown) => (w: World) =>
  w.account.call(updateResource, { method: 'PATCH', params: { id: w.resource.id }, body: { resource: fields } })
const remove = (handler: typeof deletePolicy, id: (w: World) => string) => (w: World) =>
  w.account.call(handler, { method: 'DELETE', params: { id: id(w) } })
const newGroup = async (w: World) =>
  (await w.account.call(createGroup, { method: 'POST', body: { group: { name: 'Others' } } })).body.data
const ofActor = (w: World) => ({ actor_id: w.actor.id })
const ofGroup = (w: World) => ({ group_id: w.group.id })
const now = clock.now.bind(clock)
const laterBy = (seconds: number) => vi.spyOn(clock, 'now').mockImplementation(() => now() + seconds * 1_000_000)
const office = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }]

/** Causes of a revocation, each with the expected status of the next access decision. */
const causes: [string, (w: World) => Promise<unknown>, number][] = [
  ['the policy is deleted', remove(deletePolicy, (w) => w.policy.id), 404],
  ['the policy is disabled', policyOf({ is_disabled: true }), 404],
  ['its conditions change', policyOf({ conditions: office }), 201],
  ['its flow_log_uploads_enabled changes', policyOf({ flow_log_uploads_enabled: false }), 201],
  ['the resource is deleted', remove(deleteResource, (w) => w.resource.id), 404],
  ['the policy grants another group', async (w) => policyOf({ group_id: (await newGroup(w)).id })(w), 404],
  ['the policy grants another resource', async (w) => policyOf({ resource_id: (await w.addResource()).id })(w), 404],
  ['its address changes', resourceOf({ address: 'other.example.com' }), 201],
  ['its ip_stack changes', resourceOf({ ip_stack: 'ipv4_only' }), 201],
  ['its type changes', resourceOf({ type: 'ip', address: '10.0.0.1' }), 201],
  [
    'its site changes',
    async (w) => {
      const site = await w.account.call(createSite, { method: 'POST', body: { site: { name: 'Munich' } } })
      await resourceOf({ site_id: site.body.data.id })(w)
    },
    409,
  ],
  ['the group is deleted', remove(deleteGroup, (w) => w.group.id), 404],
  [
    'the set of members is replaced',
    (w) => w.account.call(replaceMemberships, { method: 'PUT', params: ofGroup(w), body: { memberships: [] } }),
    404,
  ],
  [
    'the membership is removed',
    (w) =>
      w.account.call(editMemberships, {
        method: 'PATCH',
        params: ofGroup(w),
        body: { memberships: { remove: [w.actor.id] } },
      }),
    404,
  ],
  ['the actor is deleted', remove(deleteActor, (w) => w.actor.id), 401],
  [
    'the actor is disabled',
    (w) =>
      w.account.call(updateActor, {
        method: 'PATCH',
        params: { id: w.actor.id },
        body: { actor: { is_disabled: true } },
      }),
    401,
  ],
  [
    'the client token is deleted',
    (w) => w.account.call(deleteToken, { method: 'DELETE', params: { ...ofActor(w), id: w.token.id } }),
    401,
  ],
  [
    'all client tokens of the actor are deleted',
    (w) => w.account.call(deleteTokens, { method: 'DELETE', params: ofActor(w) }),
    401,
  ],
  [
    'the client is unverified',
    (w) => w.account.call(unverifyClient, { method: 'PUT', params: { id: w.session.client.id } }),
    201,
  ],
  ['the client is deleted', remove(deleteClient, (w) => w.session.client.id), 409],
  [
    'the client ends its session',
    (w) => call(endClientSession, { method: 'DELETE', token: w.token.token, params: { id: w.session.id } }),
    409,
  ],
  ['the client starts a session with another key', (w) => w.startSession({ public_key: publicKey() }), 201],
]

afterEach(() => vi.restoreAllMocks())

describe("revocation, from its cause to the gateway's next heartbeat (A29, A30, P7)", () => {
  it.each(causes)('%s', async (_cause, happen, decision) => {
    const world = await granted()
    await happen(world)
    const answer = await world.changed()
    expect(answer).toMatchObject({ complete: false, added: [], removed: [world.authorization.id] })
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(decision)
  })

  it.each([
    ['the description of the policy', policyOf({ description: 'For the office' }), 0],
    ['the name of the resource', resourceOf({ name: 'Handbook' }), 1],
    ['the filters of the resource', resourceOf({ filters: [{ protocol: 'tcp', ports: ['443'] }] }), 1],
  ] as [string, (w: World) => Promise<unknown>, number][])('%s revokes nothing', async (_change, happen, news) => {
    const world = await granted()
    await happen(world)
    const { added, removed } = await world.changed()
    expect([added.length, removed]).toEqual([news, []])
    const repeated = await world.ask({ resource_id: world.resource.id })
    expect([repeated.status, repeated.body.data.id]).toEqual([200, world.authorization.id])
  })

  it("sending the policy's conditions unchanged revokes nothing", async () => {
    const world = await granted(office)
    // Repeats the change with other descriptions, because DynamoDB returns the keys of a map in any order.
    for (let i = 0; i < 8; i++) await policyOf({ conditions: office, description: `Note ${i}` })(world)
    expect((await world.changed()).removed).toEqual([])
  })

  it('a grant outlasts a late delivery of an earlier change', async () => {
    const world = await granted()
    const members = (memberships: unknown) =>
      world.account.call(editMemberships, { method: 'PATCH', params: ofGroup(world), body: { memberships } })
    await policyOf({ flow_log_uploads_enabled: false })(world)
    await resourceOf({ address: 'other.example.com' })(world)
    await members({ remove: [world.actor.id] })
    await members({ add: [world.actor.id] })
    await world.account.call(unverifyClient, { method: 'PUT', params: { id: world.session.client.id } })
    const again = await world.ask({ resource_id: world.resource.id })
    await followUpAll(world.account.id)
    expect((await world.changed()).added).toMatchObject([{ id: again.body.data.id }])
  })

  it('a client is unverified, and its policy requires verification', async () => {
    const verified = [{ property: 'client_verified', operator: 'is', values: ['true'] }]
    const world = await granted()
    const client = { method: 'PUT', params: { id: world.session.client.id } }
    await world.account.call(verifyClient, client)
    await policyOf({ conditions: verified })(world)
    const { id } = (await world.ask({ resource_id: world.resource.id })).body.data
    const { since } = await world.changed()
    await world.account.call(unverifyClient, client)
    const answer = await heartbeat(world.gateway.token, world.gateway.session.id, { session: { since } })
    expect(answer.body.data).toMatchObject({ added: [], removed: [id] })
    expect((await world.ask({ resource_id: world.resource.id })).body).toMatchObject({
      code: 'conditions_violated',
      violated: ['client_verified'],
    })
  })

  it("the token of the client's session is deleted: a new session does not restore its authorizations", async () => {
    const world = await granted()
    const other = await world.addToken()
    const public_key = world.session.client.public_key
    await world.startSession({ public_key }, { token: other.token })
    expect((await world.ask({ resource_id: world.resource.id }, { token: other.token })).status).toBe(200)
    await world.account.call(deleteToken, { method: 'DELETE', params: { ...ofActor(world), id: other.id } })
    await world.startSession({ public_key })
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  })

  it("the client's lease ends while its gateway stays online", async () => {
    const world = await granted()
    laterBy(60)
    expect((await world.changed()).removed).toEqual([])
    laterBy(120)
    expect((await world.changed()).removed).toEqual([world.authorization.id])
  })

  it('the account is disabled: the gateway is refused, and starts again without authorizations', async () => {
    const world = await granted()
    const { token, session, public_key } = world.gateway
    await provision({ operation: 'update_account', account_id: world.account.id, account: { is_disabled: true } })
    expect((await heartbeat(token, session.id)).status).toBe(401)
    await provision({ operation: 'update_account', account_id: world.account.id, account: { is_disabled: false } })
    expect((await heartbeat(token, session.id)).status).toBe(404)
    const { id } = (await start(token, { public_key })).body.data
    expect((await heartbeat(token, id)).body.data.authorizations).toEqual([])
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(401)
  })

  it('the account has more client tokens than one commit can end: none is valid after it is enabled at once', async () => {
    const world = await newAccessWorld()
    const tokens = [world.token, ...(await Promise.all(Array.from({ length: 40 }, () => world.addToken())))]
    const update = (is_disabled: boolean) =>
      provision({ operation: 'update_account', account_id: world.account.id, account: { is_disabled } })
    await update(true)
    await update(false)
    const answers = await Promise.all(tokens.map(({ token }) => world.startSession({ svc_id: token }, { token })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    const later = await world.addToken()
    await followUpAll(world.account.id)
    expect((await world.startSession({}, later)).status).toBe(201)
  })
})

/** Causes of a revocation at the gateway, each with the expected statuses of its next heartbeat and of the next access decision. */
const atGateway: [string, (w: World) => Promise<unknown>, number, number][] = [
  [
    'the gateway is deleted',
    (w) => w.account.call(deleteGateway, { method: 'DELETE', params: { site_id: w.site.id, id: w.gateway.id } }),
    401,
    409,
  ],
  ['its site is deleted', remove(deleteSite, (w) => w.site.id), 401, 404],
  [
    'its token is deleted',
    (w) =>
      w.account.call(deleteGatewayToken, {
        method: 'DELETE',
        params: { site_id: w.site.id, id: w.gateway.session.gateway.gateway_token_id },
      }),
    401,
    409,
  ],
  ['it ends its session', (w) => end(w.gateway.token, w.gateway.session.id), 404, 409],
  [
    'its lease ends while the client stays online',
    async (w) => {
      laterBy(60)
      await call(renewClientSession, { method: 'PUT', token: w.token.token, params: { id: w.session.id } })
      laterBy(91)
    },
    404,
    409,
  ],
  [
    'its token expires after a rotation',
    async (w) => {
      await w.account.call(rotateToken, { method: 'POST', params: { site_id: w.site.id, gateway_id: w.gateway.id } })
      laterBy(4 * 3_600 - 60)
      const { public_key, token } = w.gateway
      await start(token, { public_key })
      await w.startSession({ public_key: w.key })
      laterBy(4 * 3_600)
    },
    401,
    409,
  ],
]

describe("the end of an authorization's gateway (P1.7, P5.2)", () => {
  it.each(atGateway)('%s', async (_cause, happen, answer, decision) => {
    const world = await granted()
    await happen(world)
    expect((await heartbeat(world.gateway.token, world.gateway.session.id)).status).toBe(answer)
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(decision)
  })

  it('moves its clients to another gateway', async () => {
    const world = await granted()
    const other = await world.addGateway()
    await end(world.gateway.token, world.gateway.session.id)
    const moved = (await world.ask({ resource_id: world.resource.id })).body.data
    expect([moved.gateway.id, moved.id === world.authorization.id]).toEqual([other.id, false])
    const { public_key, token } = world.gateway
    const { id } = (await start(token, { public_key })).body.data
    expect((await heartbeat(token, id)).body.data.authorizations).toEqual([])
    expect((await heartbeat(other.token, other.session.id)).body.data.authorizations).toMatchObject([{ id: moved.id }])
  })
})
