import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { commitInParts } from '#shared/commit/commit-in-parts.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { type ExternalIdentityRow, externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { stageIdentityChange } from '#shared/domain/external-identities/issued-tokens.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertIdentity, mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

/**
 * Changes the identity of a person who has two tokens: one from the identity's issuer, and one from a different issuer. Returns the
 * remaining tokens.
 */
async function changed(changes: Partial<ExternalIdentityRow>) {
  const actor = await newPerson(account)
  const issuer = newIssuer()
  const identity = await insertIdentity(account.id, actor.id, { issuer })
  const ownToken = await mintProviderToken(account, actor.id, issuer)
  const other = await mintProviderToken(account, actor.id, newIssuer())
  await commitInParts({ accountId: account.id, subject: null }, async (transaction) =>
    (await stageIdentityChange(transaction, identity, changes)) === 'more' ? 'more' : { done: null },
  )
  expect(await getRow(externalIdentities, account.id, identity.id)).toMatchObject(changes)
  const left = (await rowsBy(clientTokens, account.id, 'actor_id', actor.id)).map(({ id }) => id)
  return { own: left.includes(ownToken.id), other: left.includes(other.id) }
}

it.each([
  ['another subject', () => ({ idp_id: randomUUID() })],
  ['another issuer', () => ({ issuer: newIssuer() })],
])('ends the access of the old issuer when an identity gets %s, in the same commit', async (_name, changes) => {
  expect(await changed(changes())).toEqual({ own: false, other: true })
  const objects = (await readCommits(account.id)).at(-1)?.changes.map(({ object }) => object)
  expect(objects).toEqual(['client_tokens', 'external_identities'])
})

it('ends nothing when an identity gets another profile', async () => {
  expect(await changed({ name: 'Grace H.' })).toEqual({ own: true, other: true })
})
