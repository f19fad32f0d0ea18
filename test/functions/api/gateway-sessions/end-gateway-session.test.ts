import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { end, heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('DELETE /gateway/sessions/{id}', () => {
  it('takes the gateway offline at once, with either kind of token', async () => {
    const site = await newSite(await newAccount())
    const [own, shared] = [await site.gateway(), await site.token()]
    for (const { token } of [own, shared]) {
      const { id, gateway } = (await start(token)).body.data
      expect((await end(token, id)).body).toEqual({ data: { id } })
      expect(await site.show(gateway.id)).toEqual({ ...gateway, online: false })
      expect([(await end(token, id)).status, (await heartbeat(token, id)).status]).toEqual([404, 404])
    }
  })

  it('returns 404 for sessions of another token', async () => {
    const site = await newSite(await newAccount())
    const [one, other, third] = [await site.gateway(), await site.gateway(), await site.token()]
    const { id } = (await start(one.token)).body.data
    await start(other.token)
    expect((await end(other.token, id)).status).toBe(404)
    expect((await end(third.token, id)).status).toBe(404)
    expect((await end(one.token, randomUUID())).status).toBe(404)
    expect((await end(one.token, 'x')).body.code).toBe('invalid_path_parameter')
    expect((await heartbeat(one.token, id)).status).toBe(200)
  })
})
