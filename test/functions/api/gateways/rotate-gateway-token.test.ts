import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as deleteToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as createToken } from '#functions/api/gateways/create-gateway-token.ts'
import { handler as rotateToken } from '#functions/api/gateways/rotate-gateway-token.ts'
import { clock } from '#shared/core/clock.ts'
import { heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { asOtherProcess } from '#test/support/table/other-process.ts'

let account: Account
let site: Awaited<ReturnType<typeof newSite>>
// biome-ignore lint/suspicious/noExplicitAny: bodies
let gateway: any
beforeEach(async () => {
  account = await newAccount()
  site = await newSite(account)
  gateway = await site.gateway()
})

const rotate = () => account.call(rotateToken, { method: 'POST', params: { ...site.params, gateway_id: gateway.id } })
const rotated = async () => (await rotate()).body.data
const drop = (id: string) => account.call(deleteToken, { method: 'DELETE', params: { ...site.params, id } })
const works = async (token: string, public_key: string) => (await start(token, { public_key })).status
const hour = 3_600_000_000

describe('POST /sites/{site_id}/gateways/{gateway_id}/token/rotate', () => {
  it('replaces an unused token at once', async () => {
    const key = publicKey()
    const { token } = await rotated()
    expect([await works(gateway.token, key), await works(token, key)]).toEqual([401, 201])
  })

  it('keeps a used token until its replacement is used', async () => {
    const public_key = publicKey()
    const { id: session } = (await start(gateway.token, { public_key })).body.data
    const { id, token } = await rotated()
    const pending = await site.show(gateway.id)
    expect(pending).toMatchObject({ online: true, rotated_at: expect.any(String) })
    expect((await heartbeat(gateway.token, session)).body.data.gateway.rotated_at).toBe(pending.rotated_at)
    expect(await works(gateway.token, public_key)).toBe(201)
    expect(await works(token, public_key)).toBe(201)
    expect(await site.show(gateway.id)).toMatchObject({ online: true, rotated_at: null, gateway_token_id: id })
    expect(await works(gateway.token, public_key)).toBe(401)
  })

  it('replaces only the unused replacement while a rotation is pending', async () => {
    const key = publicKey()
    await start(gateway.token, { public_key: key })
    const first = await rotated()
    const { rotated_at } = await site.show(gateway.id)
    const second = await rotated()
    expect((await site.show(gateway.id)).rotated_at).toBe(rotated_at)
    expect(await works(first.token, key)).toBe(401)
    expect(await works(gateway.token, key)).toBe(201)
    expect(await works(second.token, key)).toBe(201)
    expect(await works(gateway.token, key)).toBe(401)
  })

  it('ends a rotated token after 4 hours', async () => {
    const key = publicKey()
    await start(gateway.token, { public_key: key })
    const { token } = await rotated()
    const now = clock.now()
    const later = vi.spyOn(clock, 'now')
    try {
      later.mockReturnValue(now + 4 * hour - 1_000_000)
      expect(await works(gateway.token, key)).toBe(201)
      later.mockReturnValue(now + 4 * hour)
      expect(await works(gateway.token, key)).toBe(401)
      expect(await works(token, key)).toBe(201)
    } finally {
      later.mockRestore()
    }
  })

  it('keeps the deadline of a rotated token if its replacement is replaced', async () => {
    const key = publicKey()
    await start(gateway.token, { public_key: key })
    const at = clock.now()
    const later = vi.spyOn(clock, 'now').mockImplementation(() => at)
    try {
      await rotated()
      later.mockImplementation(() => at + 3 * hour)
      const { token } = await rotated()
      later.mockImplementation(() => at + 4 * hour)
      expect([await works(gateway.token, key), await works(token, key)]).toEqual([401, 201])
    } finally {
      later.mockRestore()
    }
  })

  it('returns 404 for an expired rotated token, even before its row is deleted', async () => {
    const { gateway_token_id } = (await start(gateway.token)).body.data.gateway
    await rotated()
    const now = clock.now()
    const later = vi.spyOn(clock, 'now').mockReturnValue(now + 4 * hour)
    const answer = await drop(gateway_token_id)
    later.mockRestore()
    expect(answer.status).toBe(404)
    expect((await drop(gateway_token_id)).status).toBe(200)
  })

  it('creates a new token after the replacement was deleted, and keeps the rotated one', async () => {
    const key = publicKey()
    await start(gateway.token, { public_key: key })
    const replacement = await rotated()
    const mint = () => account.call(createToken, { method: 'POST', params: { ...site.params, gateway_id: gateway.id } })
    expect((await mint()).body.code).toBe('active_token_exists')
    await drop(replacement.id)
    const { token } = (await mint()).body.data
    expect(await works(gateway.token, key)).toBe(201)
    expect([await works(token, key), await works(gateway.token, key)]).toEqual([201, 401])
  })

  it('ends the sessions of the rotated token at the first use of its replacement', async () => {
    const key = publicKey()
    const { id } = (await start(gateway.token, { public_key: key })).body.data
    const { token } = await rotated()
    expect((await heartbeat(gateway.token, id)).status).toBe(200)
    const other = await start(token)
    expect([other.status, other.body.code]).toEqual([409, 'gateway_already_connected'])
    expect((await heartbeat(gateway.token, id)).status).toBe(200)
    const started = await start(token, { public_key: key })
    expect([started.status, (await heartbeat(gateway.token, id)).status]).toEqual([201, 401])
    expect((await heartbeat(token, id)).status).toBe(404)
  })

  it('does not affect the tokens of the site', async () => {
    const shared = (await site.token()).token
    const key = publicKey()
    expect(await works(gateway.token, key)).toBe(201)
    const { token } = await rotated()
    expect(await works(shared, key)).toBe(201)
    expect(await works(gateway.token, key)).toBe(201)
    expect(await works(token, key)).toBe(201)
    expect([await works(gateway.token, key), await works(shared, key)]).toEqual([401, 201])
  })

  it('creates a token if there is none', async () => {
    const key = publicKey()
    const { gateway_token_id } = (await start(gateway.token, { public_key: key })).body.data.gateway
    await drop(gateway_token_id)
    const answer = await rotate()
    expect([answer.status, answer.headers['cache-control'], answer.headers.location]).toEqual([
      201,
      'no-store',
      undefined,
    ])
    expect(await works(answer.body.data.token, key)).toBe(201)
  })

  it('lets one of two concurrent rotations win', async () => {
    let first: ReturnType<typeof rotate> | undefined
    interceptTable(async (command, send) => {
      if (command instanceof TransactWriteCommand && !first) {
        first = asOtherProcess(() => rotate())
        await first
      }
      return send(command)
    })
    const lost = await rotate()
    vi.restoreAllMocks()
    const won = await first
    expect([won?.status, lost.status, lost.body.code]).toEqual([201, 409, 'rotation_conflict'])
    expect(await works(won?.body.data.token, publicKey())).toBe(201)
  })
})
