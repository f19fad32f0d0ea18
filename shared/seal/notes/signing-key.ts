import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { endpointOf } from '../../core/aws/endpoint.ts'
import { JsonService } from '../../core/aws/json-service.ts'
import { env } from '../../core/env.ts'
import { keyNameOf } from '../log/sealed-log.ts'
import type { VerifierKey } from './signed-note.ts'

/** The key that signs checkpoints (S2.2): Ed25519, of which nobody sees more than the public half. */
type SigningKey = { publicKey(): Promise<Buffer>; sign(text: Buffer): Promise<Buffer> }

const kms = new JsonService({
  name: 'kms',
  target: 'TrentService',
  contentType: 'application/x-amz-json-1.1',
  endpoint: () => endpointOf('kms', 'AWS_ENDPOINT_URL_KMS'),
})

const publicKeyBytes = 32
/** The public key stands at the end of its DER form. */
const rawOf = (der: Buffer): Buffer => der.subarray(der.length - publicKeyBytes)

const keyInKms = (KeyId: string): SigningKey => ({
  async publicKey() {
    const { PublicKey, KeySpec } = await kms.call('GetPublicKey', JSON.stringify({ KeyId }))
    if (typeof PublicKey !== 'string') throw new Error(`KMS has no public key of ${KeyId}, which is ${KeySpec}.`)
    return rawOf(Buffer.from(PublicKey, 'base64'))
  },
  async sign(text) {
    const request = {
      KeyId,
      Message: text.toString('base64'),
      MessageType: 'RAW',
      SigningAlgorithm: 'ED25519_SHA_512',
    }
    const { Signature } = await kms.call('Sign', JSON.stringify(request))
    if (typeof Signature !== 'string') throw new Error(`KMS has signed nothing with ${KeyId}.`)
    return Buffer.from(Signature, 'base64')
  },
})

async function keyOfFile(path: string): Promise<KeyObject> {
  const { readFile } = await import('node:fs/promises')
  return createPrivateKey(await readFile(path, 'utf8'))
}

const keyInFile = (path: string): SigningKey => ({
  publicKey: async () => rawOf(createPublicKey(await keyOfFile(path)).export({ format: 'der', type: 'spki' })),
  sign: async (text) => sign(null, text, await keyOfFile(path)),
})

const signingKey = (): SigningKey => (env.sealKeyFile ? keyInFile(env.sealKeyFile) : keyInKms(env.sealKeyId))

const known = new Map<string, Promise<Buffer>>()

/** The public half, under the name that it signs by at this address. */
export async function verifierKey(address: string): Promise<VerifierKey> {
  const id = env.sealKeyFile ?? env.sealKeyId
  const publicKey = known.get(id) ?? signingKey().publicKey()
  known.set(id, publicKey)
  publicKey.catch(() => known.delete(id))
  return { name: keyNameOf(address), publicKey: await publicKey }
}

/** Signs the text of a note. */
export const signText = (text: string): Promise<Buffer> => signingKey().sign(Buffer.from(text))
