import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { handler as listIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { commitInParts } from '#shared/commit/commit-in-parts.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import type { ProvenIdentity } from '#shared/sign-in/identities/find-identity.ts'
import { findIdentity, stageIdentity } from '#shared/sign-in/identities/find-identity.ts'
import { type Refusal, SignInRefused } from '#shared/sign-in/refusals/sign-in-refused.ts'
import type { SignInContext } from '#shared/sign-in/sign-in-context.ts'
import { queryItems, rowsBy } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertIdentity, mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

/** Stages an identity as a sign-in does. Returns the actor's id, or the reason for the refusal. */
const link = (
  accountId: string,
  proven: ProvenIdentity,
  context: SignInContext = 'client',
  provider: Pick<AuthProviderRow, 'context'> = { context: 'clients_and_portal' },
): Promise<string> =>
  commitInParts({ accountId, subject: null }, async (transaction) => {
    const found = await findIdentity(accountId, proven, context, provider)
    return (await stageIdentity(transaction, found, proven, provider)) === 'more' ? 'more' : { done: found.actorId }
  }).catch((error) => {
    if (error instanceof SignInRefused) return error.reason
    throw error
  })
const proven = (fields: Partial<ProvenIdentity> = {}): ProvenIdentity => ({
  issuer: newIssuer(),
  idpId: randomUUID(),
  email: { refusal: 'email_invalid' },
  profile: {},
  ...fields,
})
const verified = (email: string) => ({ email: { verified: email } })
const identitiesOf = async (actor: ActorRow) =>
  (await account.call(listIdentities, { params: { actor_id: actor.id } })).body.data

describe('a linked identity (I3.1)', () => {
  it('signs its actor in with any email, and gets the current profile', async () => {
    const actor = await newPerson(account)
    const { issuer, idp_id, id } = await insertIdentity(account.id, actor.id, { given_name: 'Grace' })
    const other = await newPerson(account)
    const claims = { email: other.email, name: 'Grace H.' }
    expect(await link(account.id, { issuer, idpId: idp_id, ...verified(String(other.email)), profile: claims })).toBe(
      actor.id,
    )
    expect(await identitiesOf(actor)).toMatchObject([{ id, issuer, idp_id, ...claims, given_name: 'Grace' }])
    expect(await identitiesOf(other)).toEqual([])
  })

  it('is not written if its profile is unchanged', async () => {
    const actor = await newPerson(account)
    const { issuer, idp_id, name } = await insertIdentity(account.id, actor.id)
    const before = (await readCommits(account.id)).length
    await link(account.id, proven({ issuer, idpId: idp_id, profile: { name } }))
    expect((await readCommits(account.id)).slice(before)).toEqual([])
  })

  it('needs no email', async () => {
    const actor = await newPerson(account)
    const { issuer, idp_id } = await insertIdentity(account.id, actor.id)
    expect(await link(account.id, proven({ issuer, idpId: idp_id }))).toBe(actor.id)
  })
})

describe('a new identity (I3.2)', () => {
  it('is linked to the person with the verified email, ignoring case', async () => {
    const email = `Grace.${randomUUID()}@bücher.example`
    const actor = await insertActor(account.id, {
      type: 'account_user',
      email: email.replace('bücher', 'xn--bcher-kva'),
    })
    const { issuer, idpId } = proven()
    const profile = { name: 'Grace', picture: 'https://pictures.example.com/1' }
    expect(await link(account.id, { issuer, idpId, ...verified(email.toUpperCase()), profile })).toBe(actor.id)
    expect(await identitiesOf(actor)).toMatchObject([
      {
        actor_id: actor.id,
        account_id: account.id,
        issuer,
        idp_id: idpId,
        directory_id: null,
        synced_at: null,
        ...profile,
      },
    ])
    const [change, ...more] = (await readCommits(account.id)).at(-1)?.changes ?? []
    expect([change?.object, change?.operation, more]).toEqual(['external_identities', 'insert', []])
  })

  it('replaces the identity that its actor has at the issuer', async () => {
    const actor = await newPerson(account)
    const old = await insertIdentity(account.id, actor.id)
    const fresh = proven({ issuer: old.issuer, ...verified(String(actor.email)) })
    expect(await link(account.id, fresh)).toBe(actor.id)
    expect(await identitiesOf(actor)).toMatchObject([{ id: old.id, idp_id: fresh.idpId }])
    expect(await link(account.id, proven({ issuer: old.issuer, idpId: old.idp_id }))).toBe('email_invalid')
  })

  it('ends the tokens of the replaced identity in the same commit', async () => {
    const actor = await newPerson(account)
    const issuer = newIssuer()
    await insertIdentity(account.id, actor.id, { issuer })
    const [ownToken, other] = [
      await mintProviderToken(account, actor.id, issuer),
      await mintProviderToken(account, actor.id, newIssuer()),
    ]
    const tokens = async () => (await rowsBy(clientTokens, account.id, 'actor_id', actor.id)).map(({ id }) => id)
    expect(await tokens()).toEqual([ownToken.id, other.id])
    await link(account.id, proven({ issuer, ...verified(String(actor.email)) }))
    expect(await tokens()).toEqual([other.id])
    const objects = (await readCommits(account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects).toEqual(['client_tokens', 'external_identities'])
  })

  it.each([
    ['an administrator', { type: 'account_admin_user' as const }],
    ['a read-only person', { type: 'account_user' as const, portal_scopes: ['*:read' as const] }],
  ])('is refused if %s has another subject, until that identity is deleted', async (_who, fields) => {
    const admin = await insertActor(account.id, { ...fields, email: `${randomUUID()}@example.com` })
    const { id, issuer, idp_id } = await insertIdentity(account.id, admin.id)
    const fresh = proven({ issuer, ...verified(String(admin.email)) })
    expect(await link(account.id, fresh)).toBe('identity_of_admin')
    expect(await identitiesOf(admin)).toMatchObject([{ idp_id }])
    const params = { actor_id: admin.id, id }
    expect((await account.call(deleteIdentity, { method: 'DELETE', params })).status).toBe(200)
    expect(await link(account.id, fresh)).toBe(admin.id)
  })

  it('is refused if a directory owns the identity that its actor has', async () => {
    const actor = await newPerson(account)
    const { issuer, idp_id } = await insertIdentity(account.id, actor.id, { directory_id: randomUUID() })
    expect(await link(account.id, proven({ issuer, ...verified(String(actor.email)) }))).toBe('identity_of_directory')
    expect(await link(account.id, proven({ issuer, idpId: idp_id }))).toBe(actor.id)
  })

  it.each<[string, Refusal, () => Promise<ProvenIdentity['email']>]>([
    ['nobody has', 'actor_unknown', async () => ({ verified: `${randomUUID()}@example.com` })],
    ['is none', 'email_invalid', async () => ({ verified: 'nonsense' })],
    ['does not count', 'email_invalid', async () => ({ refusal: 'email_invalid' })],
    [
      'a disabled person has',
      'actor_disabled',
      async () => {
        const actor = await newPerson(account)
        await updateRow(account.id, actors, actor, { is_disabled: true })
        return { verified: String(actor.email) }
      },
    ],
  ])('is refused by an email that %s (I3.3)', async (_name, reason, email) => {
    const before = await queryItems(`${account.id}#external_identities`)
    expect(await link(account.id, proven({ email: await email() }))).toBe(reason)
    expect(await queryItems(`${account.id}#external_identities`)).toEqual(before)
  })
})

describe('an identity in the portal (I3.5)', () => {
  const clients = { context: 'clients_only' } as const
  const portal = { context: 'portal_only' } as const
  const admin = () => insertActor(account.id, { type: 'account_admin_user', email: `${randomUUID()}@example.com` })

  it('signs in without its email if a portal provider has linked it', async () => {
    const { id, email } = await admin()
    const { issuer, idpId } = proven()
    expect(await link(account.id, proven({ issuer, idpId, ...verified(String(email)) }), 'portal', portal)).toBe(id)
    expect(await link(account.id, proven({ issuer, idpId }), 'portal', portal)).toBe(id)
  })

  it('needs the email of its actor once if a client provider has linked it', async () => {
    const { id, email } = await admin()
    const other = await admin()
    const { issuer, idpId } = proven()
    const as = (address: string | null) => proven({ issuer, idpId, ...(address !== null && verified(address)) })
    expect(await link(account.id, as(email), 'client', clients)).toBe(id)
    expect(await link(account.id, as(null), 'client', clients)).toBe(id)
    expect(await link(account.id, as(null), 'portal', portal)).toBe('email_invalid')
    expect(await link(account.id, as(`${randomUUID()}@example.com`), 'portal', portal)).toBe('actor_unknown')
    expect(await link(account.id, as(other.email), 'portal', portal)).toBe('identity_not_vouched_for')
    // Uses a client sign-in, which does not compare the email and therefore does not prove the identity.
    expect(await link(account.id, as(null), 'client', { context: 'clients_and_portal' })).toBe(id)
    expect(await link(account.id, as(null), 'portal', portal)).toBe('email_invalid')
    expect(await link(account.id, as(email), 'portal', portal)).toBe(id)
    expect(await link(account.id, as(null), 'portal', portal)).toBe(id)
    expect(await link(account.id, as(null), 'client', clients)).toBe(id)
    expect(await link(account.id, as(null), 'portal', portal)).toBe(id)
  })

  it.each([null, randomUUID()])(
    'gives way to the administrator where nobody vouched for it; directory: %s',
    async (directory_id) => {
      const { id, email } = await admin()
      const issuer = newIssuer()
      const foreign = { issuer, idp_id: randomUUID(), directory_id, opens_portal: false }
      await insertIdentity(account.id, id, foreign)
      await mintProviderToken(account, id, issuer)
      const ownToken = proven({ issuer, ...verified(String(email)) })
      const refused = directory_id === null ? 'identity_of_admin' : 'identity_of_directory'
      expect(await link(account.id, ownToken, 'client', clients)).toBe(refused)
      expect(await link(account.id, ownToken, 'portal', portal)).toBe(id)
      const rows = await rowsBy(externalIdentities, account.id, 'actor_id', id)
      expect(rows).toMatchObject([{ idp_id: ownToken.idpId, directory_id: null, opens_portal: true }])
      expect(await rowsBy(clientTokens, account.id, 'actor_id', id)).toEqual([])
      const again = proven({ issuer, ...verified(String(email)) })
      expect(await link(account.id, again, 'portal', portal)).toBe('identity_of_admin')
    },
  )

  it('needs the email again if a client provider gives it another subject', async () => {
    const person = await newPerson(account)
    const { issuer } = await insertIdentity(account.id, person.id)
    const moved = proven({ issuer, ...verified(String(person.email)) })
    expect(await link(account.id, moved, 'client', clients)).toBe(person.id)
    await updateRow(account.id, actors, person, { type: 'account_admin_user' })
    expect(await link(account.id, proven({ issuer, idpId: moved.idpId }), 'portal', portal)).toBe('email_invalid')
  })
})

it('never links an identity to two actors, an actor to two subjects of an issuer, or creates an actor', async () => {
  const issuers = ['https://a.example.com', 'https://b.example.com']
  const emails = ['ada', 'grace', 'edsger', 'nobody'].map((name) => `${name}@example.com`)
  const attempt = fc.record({
    issuer: fc.constantFrom(...issuers),
    idpId: fc.constantFrom('1', '2', '3'),
    email: fc.constantFrom(...emails, null),
    shout: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 12 }), async (attempts) => {
      const { id } = await newAccount()
      const people = await Promise.all(
        emails.slice(0, 3).map((email, i) => insertActor(id, { type: 'account_user', email, is_disabled: i === 2 })),
      )
      const owned = await insertIdentity(id, people[1]?.id ?? '', {
        issuer: issuers[1],
        idp_id: '3',
        directory_id: 'd',
      })
      const before = (await queryItems(`${id}#actors`)).length
      // Reference model: the actor of each identity, by issuer and identity id.
      const model = new Map([[`${owned.issuer} ${owned.idp_id}`, { actor: owned.actor_id, owned: true }]])
      for (const { issuer, idpId, email, shout } of attempts) {
        const expected = ((): string => {
          const existing = model.get(`${issuer} ${idpId}`)
          if (existing) return existing.actor
          if (email === null) return 'email_invalid'
          const actor = people.find((person) => person.email === email)
          if (!actor) return 'actor_unknown'
          if (actor.is_disabled) return 'actor_disabled'
          const ofActor = [...model].find(([at, { actor: of }]) => at.startsWith(`${issuer} `) && of === actor.id)
          if (ofActor?.[1].owned) return 'identity_of_directory'
          if (ofActor) model.delete(ofActor[0])
          model.set(`${issuer} ${idpId}`, { actor: actor.id, owned: false })
          return actor.id
        })()
        const address = email !== null && { verified: shout ? email.toUpperCase() : email }
        const got = await link(id, { issuer, idpId, email: address || { refusal: 'email_invalid' }, profile: {} })
        expect(got).toBe(expected)
      }
      const rows = await queryItems<{ pk: string; sk: string; issuer: string; idp_id: string; actor_id: string }>(
        `${id}#${externalIdentities.name}`,
      )
      expect(new Map(rows.map((row) => [`${row.issuer} ${row.idp_id}`, row.actor_id]))).toEqual(
        new Map([...model].map(([at, { actor }]) => [at, actor])),
      )
      expect(new Set(rows.map((row) => `${row.actor_id} ${row.issuer}`)).size).toBe(rows.length)
      expect((await queryItems(`${id}#actors`)).length).toBe(before)
    }),
    { numRuns: 8 },
  )
})
