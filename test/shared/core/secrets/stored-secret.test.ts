import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '#shared/core/errors.ts'
import { decryptSecret, encryptSecret, reencryptSecret, UnreadableSecret } from '#shared/core/secrets/stored-secret.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'

const owner = { accountId: 'account-1', objectId: 'object-1' }
const others = [
  { ...owner, objectId: 'object-2' },
  { ...owner, accountId: 'account-2' },
]
const mock = mockAws(KMSClient)
const namedError = (name: string) => Object.assign(new Error(name), { name })

function newKeyFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'secret-key-')), 'secret-key')
  writeFileSync(path, randomBytes(32).toString('base64url'))
  return path
}

/** Fakes KMS with encryption contexts. A wrapped key contains its context, and can be unwrapped only with an equal context. */
function useKms() {
  const wrapped = new Map<string, { key: Uint8Array; context: string }>()
  mock.on(GenerateDataKeyCommand).callsFake(async ({ EncryptionContext }) => {
    const [key, blob] = [randomBytes(32), randomBytes(64)]
    wrapped.set(blob.toString('base64'), { key, context: JSON.stringify(EncryptionContext) })
    return { Plaintext: key, CiphertextBlob: blob }
  })
  mock.on(DecryptCommand).callsFake(async ({ CiphertextBlob, EncryptionContext }) => {
    const found = wrapped.get(Buffer.from(CiphertextBlob).toString('base64'))
    if (found?.context !== JSON.stringify(EncryptionContext)) throw namedError('InvalidCiphertextException')
    return { Plaintext: found.key }
  })
  vi.stubEnv('SECRET_KEY_ARN', 'arn:key')
  vi.stubEnv('SECRET_KEY_FILE', '')
}

beforeEach(() => {
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})
afterEach(() => {
  mock.reset()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each([
  ['KMS', useKms],
  [
    'a key file',
    () => {
      vi.stubEnv('SECRET_KEY_FILE', newKeyFile())
    },
  ],
])('a secret with %s', (_name, use) => {
  beforeEach(use)

  it.each(['s', 'ä'.repeat(4_096), '{"private_key": "-----BEGIN'])('is decrypted for its owner: %#', async (secret) => {
    const stored = await encryptSecret(owner, secret)
    expect(stored).not.toContain(secret.length > 1 ? secret : '\0')
    expect(await decryptSecret(owner, stored)).toBe(secret)
    expect(await encryptSecret(owner, secret)).not.toBe(stored)
  })

  it('is not decrypted for another account or object', async () => {
    const stored = await encryptSecret(owner, 'secret')
    for (const other of others) await expect(decryptSecret(other, stored)).rejects.toThrow(UnreadableSecret)
  })

  it('is not decrypted if any part is damaged, truncated or of another secret', async () => {
    const [key = '', sealed = ''] = (await encryptSecret(owner, 'secret')).split('.')
    const [otherKey, otherSealed] = (await encryptSecret(owner, 'another')).split('.')
    const cut = (text: string) => Buffer.from(text, 'base64').subarray(0, -1).toString('base64')
    for (const parts of [[], [key], [key, cut(sealed)], [cut(key), sealed], [key, otherSealed], [otherKey, sealed]])
      await expect(decryptSecret(owner, parts.join('.'))).rejects.toThrow(UnreadableSecret)
  })

  it('is kept if it is equal, without a decryption', async () => {
    const stored = await encryptSecret(owner, 'secret')
    mock.on(DecryptCommand).rejects(namedError('AccessDeniedException'))
    expect(await reencryptSecret(owner, 'secret', stored)).toBe(stored)
    expect(await reencryptSecret(owner, 'Secret', stored)).not.toBe(stored)
    expect(await reencryptSecret(owner, 'secret', null)).not.toBe(stored)
  })

  it('is encrypted again if the stored one is damaged, or belongs to another object or key', async () => {
    const stored = await encryptSecret(owner, 'secret')
    const [key, sealed, hash] = stored.split('.')
    const [otherKey] = (await encryptSecret(owner, 'another')).split('.')
    for (const damaged of [`${otherKey}.${sealed}.${hash}`, `${key}..${hash}`, `${key}.${sealed}`])
      expect(await decryptSecret(owner, await reencryptSecret(owner, 'secret', damaged))).toBe('secret')
    expect(await reencryptSecret(others[0] ?? owner, 'secret', stored)).not.toBe(stored)
    vi.stubEnv('SECRET_KEY_FILE', newKeyFile())
    const again = await reencryptSecret(owner, 'secret', stored)
    expect(again).not.toBe(stored)
    expect(await decryptSecret(owner, again)).toBe('secret')
  })
})

it.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'NotFoundException'])(
  'is unavailable, but kept, while KMS returns %s',
  async (name) => {
    useKms()
    const stored = await encryptSecret(owner, 'secret')
    mock.on(DecryptCommand).rejects(namedError(name))
    mock.on(GenerateDataKeyCommand).rejects(namedError(name))
    for (const work of [decryptSecret(owner, stored), encryptSecret(owner, 'secret')]) {
      const error = await work.catch((thrown) => thrown)
      expect(error).toBeInstanceOf(ApiError)
      expect([error.code, error.cause.name]).toEqual(['unavailable', name])
    }
  },
)

it('is unreadable with another KMS key', async () => {
  useKms()
  const stored = await encryptSecret(owner, 'secret')
  mock.on(DecryptCommand).rejects(namedError('IncorrectKeyException'))
  await expect(decryptSecret(owner, stored)).rejects.toThrow(UnreadableSecret)
})

it('requires a key', async () => {
  vi.stubEnv('SECRET_KEY_ARN', '')
  vi.stubEnv('SECRET_KEY_FILE', '')
  await expect(encryptSecret(owner, 'secret')).rejects.toThrow('Neither SECRET_KEY_FILE nor SECRET_KEY_ARN is set.')
})
