import { randomUUID } from 'node:crypto'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { handler } from '#functions/api/authorizations/delete-authorization.ts'
import { handler as listAuthorizations } from '#functions/api/authorizations/list-authorizations.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { type AuthorizationItem, authorizationItems, pendingItem } from '#shared/access/authorization.ts'
import { authorizationsOf, pointerKeys } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { putItem } from '#shared/table/put-item.ts'
import { checkExistence, getItem } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'

const end = (account: Account, id: string) => account.call(handler, { method: 'DELETE', params: { id } })

const itemsOf = async ({ account, policy }: AccessWorld) =>
  (await authorizationsOf(account.id, { by: 'policy', id: policy.id })) as AuthorizationItem[]

async function grantedWorld() {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  await world.startSession()
  const authorize = async (): Promise<string> => (await world.ask({ resource_id: world.resource.id })).body.data.id
  return { world, gateway, authorize, id: await authorize() }
}

describe('DELETE /authorizations/{id} (K11.G10)', () => {
  it('ends the authorization before it responds, and the gateway’s next heartbeat reports it (P7)', async () => {
    const { world, gateway, id } = await grantedWorld()
    const [item] = await itemsOf(world)
    const renew = (since?: string) =>
      call(renewGateway, {
        method: 'PUT',
        token: gateway.token,
        params: { id: gateway.session.id },
        body: since === undefined ? undefined : { session: { since } },
      })
    const { since } = (await renew()).body.data
    const version = await getItem(accountVersionKey(world.account.id))
    const answer = await end(world.account, id)
    expect([answer.status, answer.body]).toEqual([200, { data: { id } }])
    expect(await checkExistence([item as AuthorizationItem, ...pointerKeys(item as AuthorizationItem)])).not.toContain(
      true,
    )
    expect((await renew(since)).body.data).toMatchObject({ complete: false, added: [], removed: [id] })
    expect(await getItem(accountVersionKey(world.account.id)), 'no change entry').toEqual(version)
    const query = { resource_id: world.resource.id }
    expect((await world.account.call(listAuthorizations, { query })).body.data).toEqual([])
  })

  it('notifies the gateway through the live channel (C5)', async () => {
    const channel = await openChannel()
    try {
      const { world, gateway, id } = await grantedWorld()
      const device = await channel.connect(gateway.token, gateway.session.id)
      const [item] = await itemsOf(world)
      await end(world.account, id)
      const OldImage = marshall(item, { removeUndefinedValues: true })
      const record = { eventName: 'REMOVE', dynamodb: { SequenceNumber: '1', OldImage } }
      await followUp({ Records: [record] } as DynamoDBStreamEvent)
      expect(await device.next('authorizations')).toEqual({ type: 'authorizations' })
      device.close()
    } finally {
      await channel.stop()
    }
  })

  it('does not prevent a new authorization, which the end of the former one does not affect', async () => {
    const { world, authorize, id } = await grantedWorld()
    await end(world.account, id)
    const next = await authorize()
    expect(next).not.toBe(id)
    expect((await end(world.account, id)).status).toBe(404)
    expect(await authorize()).toBe(next)
  })

  it('ends an authorization once when several requests end it at the same time', async () => {
    const { world, id } = await grantedWorld()
    const answers = await Promise.all(Array.from({ length: 4 }, () => end(world.account, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })

  it('returns 404 for an unknown, expired or pending authorization, and for that of another account', async () => {
    const { world, id } = await grantedWorld()
    expect((await end(world.account, randomUUID())).status).toBe(404)
    expect((await end(await newAccount(), id)).status).toBe(404)
    const [item] = await itemsOf(world)
    if (!item) throw new Error('Nothing was granted.')
    await putItem(pendingItem(authorizationItems(item).main))
    expect((await end(world.account, id)).status).toBe(404)
    await putItem({ ...item, expires_at: timestamp(clock.now()) })
    expect((await end(world.account, id)).status).toBe(404)
    await putItem(item)
    expect((await end(world.account, id)).status).toBe(200)
  })

  it('has no entity tag, so any If-Match except * fails, after an unknown id (A8.2)', async () => {
    const { world, id } = await grantedWorld()
    const endIf = (ifMatch: string, of = id) =>
      world.account.call(handler, { method: 'DELETE', params: { id: of }, headers: { 'if-match': ifMatch } })
    expect((await endIf('"some"', randomUUID())).status).toBe(404)
    expect((await endIf('"some"')).status).toBe(412)
    expect(await itemsOf(world)).toHaveLength(1)
    expect((await endIf('*')).status).toBe(200)
  })

  it('returns 400 for an id that is not a UUID', async () => {
    const { status, body } = await end(await newAccount(), 'x')
    expect([status, body.code]).toEqual([400, 'invalid_path_parameter'])
  })

  it('requires clients:write', async () => {
    const { world, id } = await grantedWorld()
    const reader = await withScopes(world.account, '*:read', 'policies:write')
    expect((await end(reader, id)).body).toMatchObject({ status: 403, required_scope: 'clients:write' })
    expect(await itemsOf(world)).toHaveLength(1)
    expect((await end(await withScopes(world.account, 'clients:write'), id)).status).toBe(200)
  })

  it('costs at most 12 read and 10 write units', async () => {
    const { world, authorize } = await grantedWorld()
    const costs: Consumed[] = []
    for (let i = 0; i < 3; i++) {
      const id = await authorize()
      costs.push(await measure(() => end(world.account, id)))
    }
    // A request can also renew a lease of the rate limit.
    expect(Math.min(...costs.map(({ reads }) => reads))).toBeLessThanOrEqual(12)
    expect(Math.min(...costs.map(({ writes }) => writes))).toBeLessThanOrEqual(10)
  })
})
