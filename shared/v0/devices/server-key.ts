import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto'
import { oldestKey } from '../../core/secrets/service-secret.ts'

/** The PKCS #8 header in front of the 32 bytes of a Curve25519 private key. */
const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex')

/**
 * The public key that all devices of an account connect to (`/v0` contract, 10.1). The pair is derived from the oldest
 * version of the service's secret and the account, so that it is there from the beginning, never changes, and is stored nowhere.
 */
export async function serverPublicKey(accountId: string): Promise<string> {
  const seed = createHmac('sha256', await oldestKey('v0 server key'))
    .update(accountId)
    .digest()
  const privateKey = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
}
