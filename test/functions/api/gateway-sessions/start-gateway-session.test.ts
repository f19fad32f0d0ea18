import { beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { clock } from '#shared/core/clock.ts'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import { readEntry } from '#shared/logs/entries/log-store.ts'
import { commitKey, partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { end, heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Account
let site: Awaited<ReturnType<typeof newSite>>
beforeEach(async () => {
  account = await newAccount()
  site = await newSite(account)
})

const total = async () => (await account.call(listGateways, { params: site.params })).body.metadata.total
const sessionEntries = async () =>
  (await queryItems(logPartition(account.id, 'session', dayOf(clock.now())))).map(readEntry)

describe('POST /gateway/sessions', () => {
  it('starts a session of the token’s gateway for any sent name', async () => {
    const { id, name, token } = await site.gateway({ gateway: { name: 'own' } })
    const key = publicKey()
    const before = clock.now()
    const answer = await start(token, { public_key: key, name: 'other' })
    const { data } = answer.body
    expect([answer.status, data.heartbeat_secs, data.gateway.name, name]).toEqual([201, 30, 'own', 'own'])
    expect(data.gateway).toMatchObject({ id, online: true, public_key: key, rotated_at: null })
    expect(await site.show(id)).toEqual(data.gateway)
    const lease = Date.parse(data.expires_at) - before / 1000
    expect(lease).toBeGreaterThan(89_000)
    expect(lease).toBeLessThan(95_000)
  })

  it('is logged once a session', async () => {
    const { id, token } = await site.gateway()
    const { data } = (await start(token)).body
    await heartbeat(token, data.id)
    await end(token, data.id)
    const entries = await sessionEntries()
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      context: 'gateway',
      subject: {
        device_id: id,
        gateway_id: id,
        token_id: data.gateway.gateway_token_id,
        actor_id: null,
        ip: '192.0.2.10',
      },
    })
  })

  it.each(
    withTitles([
      [{ public_key: undefined }, { public_key: ["can't be blank"] }],
      [
        { public_key: null, version: ' ' },
        { public_key: ["can't be blank"], version: ["can't be blank"] },
      ],
      [{ public_key: 'AAAA' }, { public_key: [mustBe.key] }],
      [{ public_key: `${'A'.repeat(42)}B=` }, { public_key: [mustBe.key] }],
      [{ public_key: Buffer.alloc(31).toString('base64') }, { public_key: [mustBe.key] }],
      [{ public_key: 7 }, { public_key: [mustBe.key] }],
      [{ version: undefined }, { version: ["can't be blank"] }],
      [{ version: 'x'.repeat(65) }, { version: ['should be at most 64 character(s)'] }],
      [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
    ]),
  )('refuses %s', async (_name, session, errors) => {
    const answer = await start((await site.token()).token, session)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect(await total()).toBe(0)
  })

  it('refuses other kinds of tokens', async () => {
    expect((await start(account.token)).status).toBe(401)
    expect((await start('nag_x')).status).toBe(401)
    const other = await newAccount()
    const { token } = await (await newSite(other)).gateway()
    expect((await heartbeat(token, (await start((await site.gateway()).token)).body.data.id)).status).toBe(404)
  })

  it('replaces a live session with the same key', async () => {
    const { id, token } = await site.gateway()
    const public_key = publicKey()
    const first = (await start(token, { public_key })).body.data
    const second = (await start(token, { public_key, version: '1.5.0' })).body.data
    expect((await heartbeat(token, first.id)).status).toBe(404)
    expect((await heartbeat(token, second.id)).status).toBe(200)
    expect((await site.show(id)).last_seen_version).toBe('1.5.0')
  })

  it('refuses another key while a session is live', async () => {
    const { token } = await site.gateway()
    const first = (await start(token)).body.data
    const other = await start(token)
    expect([other.status, other.body.code]).toEqual([409, 'gateway_already_connected'])
    expect((await heartbeat(token, first.id)).status).toBe(200)
    await end(token, first.id)
    expect((await start(token)).status).toBe(201)
  })

  it('starts only one of two concurrent sessions with different keys', async () => {
    const { token } = await site.gateway()
    const statuses = (await Promise.all([start(token), start(token)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
  })

  it('accepts another key after the lease ended', async () => {
    const { token } = await site.gateway()
    const first = (await start(token)).body.data
    const now = clock.now()
    const later = vi.spyOn(clock, 'now').mockReturnValue(now + 91_000_000)
    const answers = [(await heartbeat(token, first.id)).status, (await start(token)).status]
    later.mockRestore()
    expect(answers).toEqual([404, 201])
  })
})

describe('POST /gateway/sessions with a site token', () => {
  it('creates a gateway for a new key and finds it by a known key', async () => {
    const { token } = await site.token()
    const public_key = publicKey()
    const first = (await start(token, { public_key, name: 'auto' })).body.data
    expect(first.gateway).toMatchObject({ name: 'auto', online: true, public_key })
    const again = (await start((await site.token()).token, { public_key, name: 'ignored' })).body.data
    expect(again.gateway).toMatchObject({ id: first.gateway.id, name: 'auto' })
    const unnamed = (await start(token, { name: '' })).body.data
    expect(unnamed.gateway.name).toMatch(/^[a-z]{5}$/)
    expect(await total()).toBe(2)
    const elsewhere = await newSite(account)
    const { gateway } = (await start((await elsewhere.token()).token, { public_key })).body.data
    expect(gateway.id).not.toBe(first.gateway.id)
  })

  it('creates one gateway for concurrent starts with one key', async () => {
    const { token } = await site.token()
    const public_key = publicKey()
    const answers = await Promise.all(Array.from({ length: 6 }, () => start(token, { public_key })))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(new Set(answers.map(({ body }) => body.data.gateway.id)).size).toBe(1)
    expect(await total()).toBe(1)
    const statuses = await Promise.all(answers.map(async ({ body }) => (await heartbeat(token, body.data.id)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it('finds a gateway by its current key', async () => {
    const gateway = await site.gateway()
    const [old, current] = [publicKey(), publicKey()]
    await end(gateway.token, (await start(gateway.token, { public_key: old })).body.data.id)
    await start(gateway.token, { public_key: current })
    const { token } = await site.token()
    expect((await start(token, { public_key: current })).body.data.gateway.id).toBe(gateway.id)
    expect((await start(token, { public_key: old })).body.data.gateway.id).not.toBe(gateway.id)
  })

  it('names the new gateway as the subject', async () => {
    const { token } = await site.token()
    const { gateway } = (await start(token)).body.data
    const record = (await queryItems(partition(account.id, 'commits'), { backward: true, limit: 1 }))[0]
    expect(record).toMatchObject({
      pk: commitKey(account.id, 1).pk,
      subject: { gateway_id: gateway.id, device_id: gateway.id },
      changes: [{ object: 'gateways', operation: 'insert', after: { id: gateway.id } }],
    })
  })
})
