import { randomUUID } from 'node:crypto'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { handler as deleteToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as endGatewaySession } from '#functions/api/gateway-sessions/end-gateway-session.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf, type Revocation, revoke } from '#shared/commit/revoke.ts'
import { clock, parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { attributionKey } from '#shared/logs/flows/attribution.ts'
import { accountVersionKey, partition, type RowPointer } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call } from '#test/support/accounts/account.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const elsewhere = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }]
const verified = { property: 'client_verified', operator: 'is', values: ['true'] }

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

afterEach(() => vi.restoreAllMocks())

describe('the decision (P5.2)', () => {
  test('refuses in the order of its steps', async () => {
    const world = await newAccessWorld()
    const { ask, resource } = world
    expect((await ask({})).body).toMatchObject({ status: 422, errors: { resource_id: ["can't be blank"] } })
    expect((await ask({ resource_id: 'x' })).body.errors).toEqual({ resource_id: [mustBe.uuid] })
    expect((await ask({ resource_id: randomUUID() })).body).toMatchObject({ status: 409, code: 'no_session' })
    const { id: session_id } = (await world.startSession({ version: '1.4.0' })).body.data
    expect((await ask({ resource_id: resource.id, session_id: randomUUID() })).body.code).toBe('no_session')
    expect((await ask({ resource_id: randomUUID() })).status).toBe(404)
    const ungranted = await world.addResource()
    expect((await ask({ resource_id: ungranted.id })).status).toBe(404)
    await world.addPolicy({ resource_id: ungranted.id, conditions: [...elsewhere, verified] })
    expect((await ask({ resource_id: ungranted.id, session_id })).body).toMatchObject({
      status: 403,
      code: 'conditions_violated',
      violated: ['remote_ip', 'client_verified'],
    })
    expect((await ask({ resource_id: resource.id })).body).toMatchObject({ status: 409, code: 'gateway_offline' })
    await world.addGateway('1.6.0')
    expect((await ask({ resource_id: resource.id })).body).toMatchObject({ status: 409, code: 'version_mismatch' })
    await world.addGateway('1.5.0')
    expect((await ask({ resource_id: resource.id })).status).toBe(201)
  })

  test('requires a session id when the token has several sessions', async () => {
    const world = await newAccessWorld()
    await world.addGateway()
    const [one] = [await world.startSession({ svc_id: 'a' }), await world.startSession({ svc_id: 'b' })]
    const fields = { resource_id: world.resource.id }
    expect((await world.ask(fields)).body).toMatchObject({ status: 422, errors: { session_id: ["can't be blank"] } })
    expect((await world.ask({ ...fields, session_id: one.body.data.id })).status).toBe(201)
  })

  test('grants once, and then returns the same authorization', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const { client } = (await world.startSession({ os_name: 'Linux' })).body.data
    const accountVersion = await getItem(accountVersionKey(world.account.id))
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.ask({ resource_id: world.resource.id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    const [{ body, headers }] = answers as [(typeof answers)[0]]
    for (const answer of answers) expect(answer.body).toEqual(body)
    expect(headers['cache-control']).toBe('no-store')
    expect(body.data).toMatchObject({
      resource: { id: world.resource.id },
      gateway: { id: gateway.id, ipv4: gateway.ipv4, ipv6: gateway.ipv6, public_key: gateway.public_key },
      policy_id: world.policy.id,
      expires_at: '2099-01-01T00:00:00.000000Z',
    })
    expect(claimsOf(body.data.ingest_token)).toMatchObject({
      policy_authorization_id: body.data.id,
      role: 'initiator',
      initiator_device_id: client.id,
    })
    expect(await getItem(attributionKey(world.account.id, body.data.id))).toMatchObject({
      initiator_actor_name: 'Robot',
      initiator_device_os_name: 'Linux',
      responder_device_id: gateway.id,
      resource_name: 'Wiki',
    })
    expect(await getItem(accountVersionKey(world.account.id))).toEqual(accountVersion)
  })

  test("grants the managed group's resources to people only", async () => {
    const world = await newAccessWorld()
    await world.addGateway()
    const person = await insertActor(world.account.id, { type: 'account_user', email: 'grace@example.com' })
    const { token } = await commit({ accountId: world.account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, person.id, { expires_at: '2099-01-01T00:00:00.000000Z', auth_provider_id: null }),
    )
    const everyone = await getItem<RowPointer>({
      pk: partition(world.account.id, 'unique.groups.managed', 'everyone'),
      sk: 'unique',
    })
    const shared = await world.addResource()
    await world.addPolicy({ resource_id: shared.id, group_id: everyone?.row.sk ?? '' })
    const started = await world.startSession({}, { token })
    expect(started.body.data.resources.map(({ id }: { id: string }) => id)).toEqual([shared.id])
    expect((await world.ask({ resource_id: shared.id }, { token })).status).toBe(201)
    expect((await world.startSession()).body.data.resources).toMatchObject([{ id: world.resource.id }])
    expect((await world.ask({ resource_id: shared.id })).status).toBe(404)
  })

  test('replaces an authorization that is not valid', async () => {
    const world = await newAccessWorld()
    const first = await world.addGateway()
    await world.startSession()
    const granted = await world.ask({ resource_id: world.resource.id })
    const second = await world.addGateway()
    await call(endGatewaySession, { method: 'DELETE', token: first.token, params: { id: first.session.id } })
    const moved = await world.ask({ resource_id: world.resource.id })
    expect(moved).toMatchObject({ status: 201, body: { data: { gateway: { id: second.id } } } })
    expect(moved.body.data.id).not.toBe(granted.body.data.id)
    expect(await authorizationsOf(world.account.id, { by: 'gateway', id: first.id })).toEqual([])
    expect(await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })).toHaveLength(1)
  })
})

describe('choice of the policy (P5.3, P5.5(2))', () => {
  test('expires with the token and with the time condition', async () => {
    const world = await newAccessWorld([
      {
        property: 'current_utc_datetime',
        operator: 'is_in_day_of_week_time_ranges',
        values: ['M', 'T', 'W', 'R', 'F', 'S', 'U'].map((day) => `${day}/true/UTC`),
      },
    ])
    await world.addGateway()
    await world.startSession()
    const { expires_at } = (await world.ask({ resource_id: world.resource.id })).body.data
    const end = parseTimestamp(expires_at) as number
    expect(end).toBeGreaterThan(clock.now())
    expect(end).toBeLessThanOrEqual(clock.now() + 86_400_000_000)

    const soon = timestamp(clock.now() + 3_600_000_000)
    const short = await world.addToken(world.actor, soon)
    await world.startSession({ svc_id: 'other' }, { token: short.token })
    const unlimited = await world.addResource()
    await world.addPolicy({ resource_id: unlimited.id })
    const bounded = await world.ask({ resource_id: unlimited.id }, { token: short.token })
    expect(bounded.body.data.expires_at).toBe(soon)
  })
})

describe('revocation (P7)', () => {
  test.each(['policy', 'resource', 'membership', 'client', 'client_token', 'gateway'] as const)(
    'by %s deletes all authorizations',
    async (by) => {
      const world = await newAccessWorld()
      const gateway = await world.addGateway()
      const { client } = (await world.startSession()).body.data
      expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
      const ends: Record<typeof by, Exclude<Revocation, { by: 'gateway_sessions' }>> = {
        policy: { by: 'policy', id: world.policy.id },
        resource: { by: 'resource', id: world.resource.id },
        membership: { by: 'membership', id: world.group.id, actors: [world.actor.id] },
        client: { by: 'client', id: client.id },
        client_token: { by: 'client_token', id: world.token.id },
        gateway: { by: 'gateway', id: gateway.id },
      }
      await revoke(world.account.id, ends[by])
      for (const [name, end] of Object.entries(ends)) {
        expect(await authorizationsOf(world.account.id, end), name).toEqual([])
        if (name !== 'gateway')
          expect(await queryItems(partition(world.account.id, `authorizations.${name}`, end.id))).toEqual([])
      }
      // Expects 409 after the deletion of the token, because the token's sessions end with it.
      expect((await world.ask({ resource_id: world.resource.id })).status).toBe(by === 'client_token' ? 409 : 201)
    },
  )

  test('deletes the authorizations of a deleted token', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    await world.startSession()
    await world.ask({ resource_id: world.resource.id })
    await world.account.call(deleteToken, { params: { actor_id: world.actor.id, id: world.token.id } })
    expect(await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })).toEqual([])
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(401)
  })

  test('refuses a token that is deleted during the request', async () => {
    const world = await newAccessWorld()
    await world.addGateway()
    const { id } = (await world.startSession()).body.data
    let deletion: Promise<unknown> | undefined
    interceptTable(async (command, send) => {
      if (command instanceof TransactWriteCommand && !deletion) {
        deletion = world.account.call(deleteToken, { params: { actor_id: world.actor.id, id: world.token.id } })
        await deletion
      }
      return send(command)
    })
    expect((await world.ask({ resource_id: world.resource.id, session_id: id })).status).toBe(401)
  })

  test('never leaves a grant that survives a concurrent revocation', async () => {
    for (let round = 0; round < 6; round++) {
      const world = await newAccessWorld()
      const gateway = await world.addGateway()
      await world.startSession()
      const author = { accountId: world.account.id, subject: null }
      const takeAway = () =>
        round % 2 === 0
          ? updateRow(world.account.id, policies, world.policy, { is_disabled: true }).then(() =>
              revoke(world.account.id, { by: 'policy', id: world.policy.id }),
            )
          : commit(author, async (transaction) => {
              transaction.delete(memberships, world.membership)
              transaction.revoke({ by: 'membership', id: world.group.id, actors: [world.actor.id] })
            })
      const [answer] = await Promise.all([world.ask({ resource_id: world.resource.id }), takeAway()])
      expect([201, 404]).toContain(answer.status)
      expect(await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })).toEqual([])
    }
  })
})
