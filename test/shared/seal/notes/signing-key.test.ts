import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { beforeEach, expect, it, vi } from 'vitest'
import { buildNote, openNote } from '#shared/seal/notes/signed-note.ts'
import { signText, verifierKey } from '#shared/seal/notes/signing-key.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'

const address = 'https://access.example.com'
const kms = mockAws(KMSClient)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** Requests that KMS received. `others` are the responses to return next, instead of the usual ones. */
const requests: { operation: string; request: object }[] = []
const others: object[] = []

beforeEach(() => {
  requests.length = 0
  others.length = 0
  vi.stubEnv('SEAL_KEY_FILE', '')
  vi.stubEnv('SEAL_KEY_ID', randomUUID())
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
  kms.on(GetPublicKeyCommand).callsFake((request) => {
    requests.push({ operation: 'GetPublicKey', request })
    return others.shift() ?? { PublicKey: publicKey.export({ format: 'der', type: 'spki' }) }
  })
  kms.on(SignCommand).callsFake((request) => {
    requests.push({ operation: 'Sign', request })
    return others.shift() ?? { Signature: sign(null, request.Message, privateKey) }
  })
  return () => {
    kms.reset()
    vi.unstubAllEnvs()
  }
})

it('signs by KMS, and verifies with the public key, which it requests once', async () => {
  const key = await verifierKey(address)
  const text = 'access.example.com/a/changes\n1\nAAAA\n'
  expect(openNote(buildNote(text, key, await signText(text)), key)).toBe(text)
  expect(openNote(buildNote(text, await verifierKey(address), await signText('another')), key)).toBeNull()
  expect(requests.map(({ operation }) => operation)).toEqual(['GetPublicKey', 'Sign', 'Sign'])
  // Expects the message itself instead of a digest, because Ed25519 signs the whole message.
  expect(requests[1]?.request).toEqual({
    KeyId: process.env.SEAL_KEY_ID,
    Message: Buffer.from(text),
    MessageType: 'RAW',
    SigningAlgorithm: 'ED25519_SHA_512',
  })
})

it('requests the public key again after an empty response, and fails on an empty signature', async () => {
  others.push({ KeySpec: 'RSA_2048' })
  await expect(verifierKey(address)).rejects.toThrow('whose key spec is RSA_2048')
  expect((await verifierKey(address)).name).toBe('access.example.com/seal')
  others.push({})
  await expect(signText('a text')).rejects.toThrow('KMS returned no signature')
})
