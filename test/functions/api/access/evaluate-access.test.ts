import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { insertActor, insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { largestConditions } from '#test/support/largest/fill-lists.ts'
import { plantIds, plantRows } from '#test/support/table/plant-rows.ts'

type World = Awaited<ReturnType<typeof newAccessWorld>>

const ask = (world: World, fields: Record<string, unknown> = {}) =>
  world.account.call(evaluate, {
    method: 'POST',
    body: { actor_id: world.actor.id, resource_id: world.resource.id, ...fields },
  })
const decided = async (world: World, fields: Record<string, unknown> = {}) => (await ask(world, fields)).body.data

const office = { property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }
const germany = { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] }
const verified = { property: 'client_verified', operator: 'is', values: ['true'] }
const mondays = {
  property: 'current_utc_datetime',
  operator: 'is_in_day_of_week_time_ranges',
  values: ['M/09:00-17:00/Europe/Berlin'],
}

describe('POST /access/evaluate (P6)', () => {
  it('allows what a decision would grant, and returns the granting policies', async () => {
    const world = await newAccessWorld()
    const answer = await ask(world)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({
      decision: 'allow',
      reason: null,
      violated: [],
      policy_id: world.policy.id,
      expires_at: null,
      gateway_online: false,
      policies: [
        {
          id: world.policy.id,
          group_id: world.group.id,
          is_disabled: false,
          conforms: true,
          expires_at: null,
          conditions: [],
        },
      ],
    })
    await world.addGateway()
    expect((await decided(world)).gateway_online).toBe(true)
  })

  it('accepts its fields without an envelope, and reports the invalid ones', async () => {
    const world = await newAccessWorld()
    const wrong = {
      actor_id: 7,
      resource_id: 'x',
      at: 'noon',
      ip: '1.2.3',
      region: 'XX',
      auth_provider_id: 'y',
      client_id: 'z',
    }
    const answer = await ask(world, wrong)
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        actor_id: [mustBe.uuid],
        resource_id: [mustBe.uuid],
        at: [mustBe.timestamp],
        ip: [mustBe.ip],
        region: [mustBe.region],
        auth_provider_id: [mustBe.uuid],
        client_id: [mustBe.uuid],
      },
    ])
    const empty = await world.account.call(evaluate, { method: 'POST', body: {} })
    expect(empty.body.errors).toEqual({ actor_id: ["can't be blank"], resource_id: ["can't be blank"] })
    for (const body of [undefined, [], 'text', null]) {
      const refused = await world.account.call(evaluate, { method: 'POST', body })
      expect(refused.status, JSON.stringify(body)).toBe(400)
    }
  })

  it('returns 404 for unknown objects, and for the client of another actor', async () => {
    const world = await newAccessWorld()
    const unknown = await ask(world, { actor_id: randomUUID(), resource_id: randomUUID(), client_id: randomUUID() })
    expect(unknown.body.errors).toEqual({
      actor_id: ['does not exist'],
      resource_id: ['does not exist'],
      client_id: ['does not exist'],
    })
    const { client } = (await world.startSession()).body.data
    const other = await insertActor(world.account.id)
    expect((await ask(world, { actor_id: other.id, client_id: client.id })).body.errors).toEqual({
      client_id: ['does not exist'],
    })
    const foreign = await newAccessWorld()
    expect((await ask(world, { resource_id: foreign.resource.id })).body.errors).toEqual({
      resource_id: ['does not exist'],
    })
  })

  it('treats a blank or null field as absent', async () => {
    const world = await newAccessWorld()
    expect((await ask(world, { at: null, ip: '', region: ' ', auth_provider_id: null, client_id: '' })).status).toBe(
      200,
    )
  })

  it('denies with the first applicable reason', async () => {
    const world = await newAccessWorld([office, verified])
    expect(await decided(world)).toMatchObject({
      decision: 'deny',
      reason: 'conditions_violated',
      violated: ['remote_ip', 'client_verified'],
      policy_id: null,
      expires_at: null,
    })
    const ungranted = await world.addResource()
    expect(await decided(world, { resource_id: ungranted.id })).toMatchObject({
      reason: 'no_policy',
      violated: [],
      policies: [],
    })
    await world.addPolicy({ resource_id: ungranted.id, is_disabled: true })
    expect(await decided(world, { resource_id: ungranted.id })).toMatchObject({
      reason: 'no_policy',
      policies: [{ is_disabled: true, conforms: true }],
    })
    const pool = await world.addResource({ type: 'static_device_pool', site_id: null, address: null, ip_stack: null })
    expect(await decided(world, { resource_id: pool.id })).toMatchObject({ reason: 'not_connectable' })
    await updateRow(world.account.id, actors, world.actor, { is_disabled: true })
    expect(await decided(world, { resource_id: pool.id })).toMatchObject({ reason: 'actor_disabled' })
  })

  it('uses the location, provider and time of the request', async () => {
    const provider = randomUUID()
    const world = await newAccessWorld([
      office,
      germany,
      { property: 'auth_provider_id', operator: 'is_in', values: [provider] },
      mondays,
    ])
    const fields = { ip: '203.0.113.9', region: 'DE', auth_provider_id: provider, at: '2026-03-30T12:00:00+02:00' }
    const allowed = await decided(world, fields)
    expect(allowed).toMatchObject({
      decision: 'allow',
      expires_at: '2026-03-30T15:00:00.000000Z',
      evaluated_at: '2026-03-30T10:00:00.000000Z',
    })
    expect(
      allowed.policies[0].conditions.map(({ passed, until }: { passed: boolean; until: string }) => [passed, until]),
    ).toEqual([
      [true, null],
      [true, null],
      [true, null],
      [true, '2026-03-30T15:00:00.000000Z'],
    ])
    const cases = { ip: '198.51.100.1', region: 'FR', auth_provider_id: randomUUID(), at: '2026-03-31T10:00:00Z' }
    const names = ['remote_ip', 'remote_ip_location_region', 'auth_provider_id', 'current_utc_datetime']
    for (const [index, [name, value]] of Object.entries(cases).entries()) {
      expect((await decided(world, { ...fields, [name]: value })).violated, name).toEqual([names[index]])
    }
  })

  it('denies at the last instant of a time range, as a decision does (A33.9)', async () => {
    const world = await newAccessWorld([mondays])
    expect(await decided(world, { at: '2026-03-30T15:00:00Z' })).toMatchObject({
      decision: 'deny',
      reason: 'conditions_violated',
      violated: ['current_utc_datetime'],
    })
    expect(await decided(world, { at: '2026-03-30T14:59:59.999999Z' })).toMatchObject({ decision: 'allow' })
  })

  it('uses the verification and last location of the named client', async () => {
    const world = await newAccessWorld([office])
    const { client } = (await world.startSession({}, { sourceIp: '203.0.113.77' })).body.data
    expect(await decided(world)).toMatchObject({ decision: 'deny' })
    expect(await decided(world, { client_id: client.id })).toMatchObject({ decision: 'allow' })
    expect(await decided(world, { client_id: client.id, ip: '198.51.100.1' })).toMatchObject({ decision: 'deny' })
  })

  it('uses the policy with the longest access, and the oldest of equal ones (P5.3)', async () => {
    const world = await newAccessWorld([mondays])
    const at = '2026-03-30T10:00:00Z'
    const people = await newGroup(world)
    const longer = await world.addPolicy({ resource_id: world.resource.id, group_id: people })
    expect(await decided(world, { at })).toMatchObject({ policy_id: longer.id, expires_at: null })
    const another = await newGroup(world)
    await world.addPolicy({ resource_id: world.resource.id, group_id: another })
    expect(await decided(world, { at })).toMatchObject({ policy_id: longer.id })
  })

  it('changes nothing, and does not replay an Idempotency-Key', async () => {
    const world = await newAccessWorld()
    const commits = () => queryItems(partition(world.account.id, 'commits'))
    const before = await commits()
    const headers = { 'idempotency-key': 'one' }
    const body = { actor_id: world.actor.id, resource_id: world.resource.id }
    for (let i = 0; i < 2; i++) {
      const answer = await world.account.call(evaluate, { method: 'POST', body, headers })
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect(await commits()).toEqual(before)
  })
})

async function newGroup(world: World): Promise<string> {
  const { id: _id, inserted_at: _inserted, updated_at: _updated, ...fields } = world.group
  const group = await insertRow(world.account.id, groups, { ...fields, name: randomUUID() })
  await insertRow(world.account.id, memberships, { group_id: group.id, actor_id: world.actor.id })
  return group.id
}

it('lists at most the policies that fit the response, and decides on all of them', async () => {
  const world = await newAccessWorld([office])
  const count = 21
  const groupIds = await plantIds(
    world.account.id,
    groups,
    count,
    () => ({ ...nativeGroup, name: 'Group', idp_id: randomUUID() }),
    [],
  )
  await plantRows(world.account.id, memberships, count, (i) => ({
    group_id: groupIds[i] as string,
    actor_id: world.actor.id,
  }))
  const planted = await plantIds(world.account.id, policies, count, (i) => ({
    ...openPolicy,
    group_id: groupIds[i] as string,
    resource_id: world.resource.id,
    // Violates the conditions of all policies except the last.
    conditions: [...largestConditions(), ...(i === count - 1 ? [] : [office])],
  }))
  const { status, text, body } = await ask(world)
  expect([status, body.data.decision, body.data.policy_id]).toEqual([200, 'allow', planted.at(-1)])
  expect(body.data.truncated).toEqual(['policies'])
  const ids = body.data.policies.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([world.policy.id, ...planted].slice(0, ids.length))
  expect(ids.length).toBeGreaterThan(10)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(5_500_000)
})
