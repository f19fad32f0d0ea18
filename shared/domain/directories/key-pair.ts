import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { sealSecret } from '../../core/sealed-secret.ts'

/** A new signing key of an identity-provider directory: the private half sealed, the public half to be registered. */
export async function newKeyPair(accountId: string, kid: string) {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { kty, n, e } = publicKey.export({ format: 'jwk' })
  return {
    stored: { kid, private_key: await sealSecret(accountId, pem) },
    public_jwk: { kty: kty as string, n: n as string, e: e as string, kid, alg: 'RS256', use: 'sig' },
  }
}
