import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { awsClient } from '../../core/aws/clients.ts'
import { env } from '../../core/env.ts'
import { keyNameOf } from '../log/sealed-log.ts'
import type { VerifierKey } from './signed-note.ts'

const kms = () => awsClient(KMSClient)

async function readKeyFile(path: string): Promise<KeyObject> {
  const { readFile } = await import('node:fs/promises')
  return createPrivateKey(await readFile(path, 'utf8'))
}

/** Reads the public key in DER form. The last 32 bytes are the Ed25519 key. */
async function readPublicDer(): Promise<Uint8Array> {
  if (env.sealKeyFile)
    return createPublicKey(await readKeyFile(env.sealKeyFile)).export({ format: 'der', type: 'spki' })
  const { PublicKey, KeySpec } = await kms().send(new GetPublicKeyCommand({ KeyId: env.sealKeyId }))
  if (!PublicKey) throw new Error(`KMS returned no public key of ${env.sealKeyId}, whose key spec is ${KeySpec}.`)
  return PublicKey
}

const publicKeyBytes = 32
const publicKeys = new Map<string, Promise<Buffer>>()

/** Returns the verifier key of checkpoints (S2.2), named after the host in `address`. The public key is cached. */
export async function verifierKey(address: string): Promise<VerifierKey> {
  const id = env.sealKeyFile ?? env.sealKeyId
  const publicKey = publicKeys.get(id) ?? readPublicDer().then((der) => Buffer.from(der.subarray(-publicKeyBytes)))
  publicKeys.set(id, publicKey)
  publicKey.catch(() => publicKeys.delete(id))
  return { name: keyNameOf(address), publicKey: await publicKey }
}

export async function signText(text: string): Promise<Buffer> {
  const Message = Buffer.from(text)
  if (env.sealKeyFile) return sign(null, Message, await readKeyFile(env.sealKeyFile))
  const request = { KeyId: env.sealKeyId, Message, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' } as const
  const { Signature } = await kms().send(new SignCommand(request))
  if (!Signature) throw new Error(`KMS returned no signature of ${env.sealKeyId}.`)
  return Buffer.from(Signature)
}
