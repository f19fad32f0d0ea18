import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { env } from '#shared/core/env.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { rowsBy } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { insertAdmin, insertProvider, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const adminOf = async (domain: string): Promise<ActorRow> =>
  updateRow(account.id, actors, await insertAdmin(account.id), { email: `${randomUUID()}@${domain}` })

async function signInTwice(provider: AuthProviderRow, { id: actorId }: ActorRow, kind: 'suite' | 'tenant') {
  for (const context of ['client', 'portal'] as const) await signInWith(account, context, { actorId, provider, kind })
}

async function accessOf({ id }: ActorRow): Promise<string[]> {
  const tokens = await rowsBy(clientTokens, account.id, 'actor_id', id)
  const sessions = await rowsBy(portalSessions, account.id, 'actor_id', id)
  return [...tokens.map(() => 'client'), ...sessions.map(() => 'portal')]
}

const both = ['client', 'portal']

describe('a provider that becomes stricter (A30)', () => {
  it.each<[string, object, object, string[]]>([
    ['ends portal sessions when limited to clients', {}, { context: 'clients_only' }, ['client']],
    ['ends client tokens when limited to the portal', {}, { context: 'portal_only' }, ['portal']],
    ['ends both when limited to other domains', {}, { domains: ['example.net'] }, []],
    ['ends both when it loses a domain', { domains: ['example.com', 'example.net'] }, { domains: ['example.net'] }, []],
    ['ends nothing when limited to the domain of the email', {}, { domains: ['Example.com'] }, both],
    [
      'ends nothing when it gets another domain',
      { domains: ['example.com'] },
      { domains: ['example.com', 'b.org'] },
      both,
    ],
    ['ends nothing when its domains are cleared', { domains: ['example.com'] }, { domains: null }, both],
    ['ends nothing when renamed', {}, { name: 'Renamed' }, both],
  ])('%s', async (_what, before, change, left) => {
    const provider = await insertProvider(account.id, 'tenant', before)
    const other = await insertProvider(account.id, 'tenant')
    const [admin, otherAdmin] = [await adminOf('example.com'), await adminOf('example.com')]
    await signInTwice(provider, admin, 'tenant')
    await signInTwice(other, otherAdmin, 'tenant')
    const { length } = await readCommits(account.id)
    const { status, text } = await providers.tenant.update(account, provider.id, change)
    expect([status, text]).toEqual([200, expect.any(String)])
    expect([await accessOf(admin), await accessOf(otherAdmin)]).toEqual([left, both])
    expect(await readCommits(account.id)).toHaveLength(length + 1)
  })

  it.each<[string, string | null, string | null, string[]]>([
    ['a first domain', null, 'example.com', []],
    ['another domain', 'example.com', 'example.net', []],
    ['the same domain in another case', 'example.com', 'Example.COM', both],
    ['no domain', 'example.com', null, both],
  ])('with %s as its hosted domain', async (_what, before, after, left) => {
    const ownAccount = await newAccount()
    const provider = await insertProvider(ownAccount.id, 'suite', { issuer: env.suiteIssuer, hosted_domain: before })
    const admin = await insertAdmin(ownAccount.id)
    for (const context of ['client', 'portal'] as const) {
      await signInWith(ownAccount, context, { actorId: admin.id, provider, kind: 'suite' })
    }
    expect((await providers.suite.update(ownAccount, provider.id, { hosted_domain: after })).status).toBe(200)
    const tokens = await rowsBy(clientTokens, ownAccount.id, 'actor_id', admin.id)
    expect(tokens).toHaveLength(left.length / 2)
    expect(await rowsBy(portalSessions, ownAccount.id, 'actor_id', admin.id)).toHaveLength(left.length / 2)
  })

  it('ends access in several commits, and keeps that of people it still allows', async () => {
    const provider = await insertProvider(account.id, 'tenant')
    const [inside, outside] = [await adminOf('example.com'), await adminOf('example.net')]
    for (let i = 0; i < 20; i++) {
      await signInTwice(provider, outside, 'tenant')
      await signInTwice(provider, inside, 'tenant')
    }
    expect((await providers.tenant.update(account, provider.id, { domains: ['example.com'] })).status).toBe(200)
    expect(await accessOf(outside)).toEqual([])
    expect(await accessOf(inside)).toHaveLength(40)
  })
})

describe('the domains of a provider (A25.1)', () => {
  it('are null, or unique host names in lower case and punycode', async () => {
    const made = await providers.idp.create(account)
    expect(made.body.data.domains).toBeNull()
    const domains = ['Example.COM', 'bücher.example', 'example.com']
    const changed = await providers.idp.update(account, made.body.data.id, { domains })
    expect(changed.body.data.domains).toEqual(['example.com', 'xn--bcher-kva.example'])
    const same = await providers.idp.update(account, made.body.data.id, { domains: changed.body.data.domains })
    expect(same.body).toEqual(changed.body)
    const bad = await providers.idp.update(account, made.body.data.id, { domains: ['example.com', 'localhost'] })
    expect([bad.status, bad.body.errors]).toEqual([422, { 'domains.1': ['is not a domain name'] }])
    const empty = await providers.idp.update(account, made.body.data.id, { domains: [] })
    expect([empty.status, empty.body.errors]).toEqual([422, { domains: ['should have at least 1 item(s)'] }])
    expect((await providers.idp.get(account, made.body.data.id)).body).toEqual(changed.body)
  })
})
