import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { mintToken, readToken, secretMatches, type tokenPrefixes } from '#shared/core/secrets/token.ts'
import { newAccount } from '#test/support/accounts/account.ts'

const ids = { accountId: randomUUID(), ownerId: randomUUID(), tokenId: randomUUID() }
const minted = (kind: keyof typeof tokenPrefixes) => {
  const { token, ...stored } = mintToken(kind, ids)
  const presented = readToken([kind], token)
  if (!presented) throw new Error('A new token is not well formed.')
  return { token, stored, presented }
}

it('stores only the SHA-256 of the 32 random bytes', () => {
  const { stored, presented } = minted('api')
  expect(presented.secret).toHaveLength(32)
  expect(stored).toEqual({ secret_hash: createHash('sha256').update(presented.secret).digest('base64') })
  expect(secretMatches(presented, stored)).toBe(true)
  expect(minted('api').stored).not.toEqual(stored)
})

it('refuses a secret or a hash with one different bit, at any position', () => {
  const { stored, presented } = minted('gateway')
  fc.assert(
    fc.property(fc.nat(255), (bit) => {
      const flipped = (bytes: Buffer) => {
        const copy = Buffer.from(bytes)
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return copy
      }
      expect(secretMatches({ secret: flipped(presented.secret) }, stored)).toBe(false)
      const hash = flipped(Buffer.from(stored.secret_hash, 'base64')).toString('base64')
      expect(secretMatches(presented, { secret_hash: hash })).toBe(false)
    }),
  )
})

it.each(['', 'AA==', 'not base64', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
  'refuses a stored hash of another length: %s',
  (secret_hash) => {
    expect(secretMatches(minted('api').presented, { secret_hash })).toBe(false)
  },
)

it('returns the token of an account, and 401 if its last character differs', async () => {
  const account = await newAccount()
  const other = account.token.slice(0, -4) + (account.token.endsWith('AAAA') ? 'BBBE' : 'AAAA')
  expect((await account.call(getAccount)).status).toBe(200)
  expect((await account.call(getAccount, { headers: { authorization: `Bearer ${other}` } })).status).toBe(401)
})
