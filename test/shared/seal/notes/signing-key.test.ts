import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { transport } from '#shared/core/aws/json-service.ts'
import { noteOf, openNote } from '#shared/seal/notes/signed-note.ts'
import { signText, verifierKey } from '#shared/seal/notes/signing-key.ts'

const address = 'https://access.example.com'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** What was asked of KMS, and answers to come that are not its own. */
const asked: { operation: string; request: Record<string, string> }[] = []
const others: object[] = []

beforeEach(() => {
  asked.length = 0
  others.length = 0
  vi.stubEnv('SEAL_KEY_FILE', '')
  vi.stubEnv('SEAL_KEY_ID', randomUUID())
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
  const spy = vi.spyOn(transport, 'post').mockImplementation(async (_endpoint, headers, body) => {
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? ''
    const request = JSON.parse(body)
    asked.push({ operation, request })
    const answers: Record<string, () => object> = {
      GetPublicKey: () => ({ PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') }),
      Sign: () => ({ Signature: sign(null, Buffer.from(request.Message, 'base64'), privateKey).toString('base64') }),
    }
    return { status: 200, headers: {}, text: JSON.stringify(others.shift() ?? answers[operation]?.()) }
  })
  return () => {
    spy.mockRestore()
    vi.unstubAllEnvs()
  }
})

it('signs with the key in KMS what its public half opens, which is asked for once', async () => {
  const key = await verifierKey(address)
  const text = 'access.example.com/a/changes\n1\nAAAA\n'
  expect(openNote(noteOf(text, key, await signText(text)), key)).toBe(text)
  expect(openNote(noteOf(text, await verifierKey(address), await signText('another')), key)).toBeNull()
  expect(asked.map(({ operation }) => operation)).toEqual(['GetPublicKey', 'Sign', 'Sign'])
  // The raw message: a digest of one is another signature.
  expect(asked[1]?.request).toEqual({
    KeyId: process.env.SEAL_KEY_ID,
    Message: Buffer.from(text).toString('base64'),
    MessageType: 'RAW',
    SigningAlgorithm: 'ED25519_SHA_512',
  })
})

it('asks again for a public key that it was not given, and signs nothing by an empty answer', async () => {
  others.push({ KeySpec: 'RSA_2048' })
  await expect(verifierKey(address)).rejects.toThrow('which is RSA_2048')
  expect((await verifierKey(address)).name).toBe('access.example.com/seal')
  others.push({})
  await expect(signText('a text')).rejects.toThrow('KMS has signed nothing')
})
