import { createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { openSecret, sealSecret } from '../../core/secrets/sealed-secret.ts'

/** A new signing key of an identity-provider directory: the private half sealed, the public half to be registered. */
export async function newKeyPair(accountId: string, kid: string) {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    stored: { kid, private_key: await sealSecret(accountId, pem) },
    public_jwk: publicJwk(pem, kid),
  }
}

/** The public half of the private one, in PEM. */
function publicJwk(pem: string, kid: string) {
  const { kty, n, e } = createPublicKey(pem).export({ format: 'jwk' })
  return { kty: kty as string, n: n as string, e: e as string, kid, alg: 'RS256', use: 'sig' }
}

/** The public key of a directory, as providers ask for it. */
export const publicKeyOf = async (accountId: string, kid: string, sealed: string) =>
  publicJwk(await openSecret(accountId, sealed), kid)
