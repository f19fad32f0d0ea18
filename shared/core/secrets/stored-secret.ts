import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { awsClient } from '../aws/clients.ts'
import { ApiError } from '../errors.ts'
import { logLine } from '../logging/log.ts'
import { retryUntil } from '../work/work.ts'
import { hashPassword, matchesPassword } from './password-hash.ts'
import { decryptBytes, deriveKey, encryptBytes } from './sealed-bytes.ts'

/** Object that a secret belongs to. Used as the encryption context, which prevents moving a secret to another object. */
export type Owner = { accountId: string; objectId: string }

/** Thrown for a stored secret that is damaged, or was encrypted for another object or key. An administrator must enter the secret again. */
export class UnreadableSecret extends Error {
  override name = 'UnreadableSecret'
}

type Context = { account: string; object: string }
type DataKey = { key: Uint8Array; wrappedKey: Uint8Array }

/** Source of data keys: KMS, or a key file in the data directory on a single machine. */
type KeyService = {
  /** Name of the key. `isStored` returns false for a secret that was encrypted with an earlier key. */
  name: string
  generate(context: Context): Promise<DataKey>
  /** @throws Error for a data key that is damaged or belongs to another context */
  unwrap(wrappedKey: Uint8Array, context: Context): Promise<Uint8Array>
}

/** KMS errors for a ciphertext of another key or context. */
const unreadableErrors = ['InvalidCiphertextException', 'IncorrectKeyException']

/**
 * Rethrows an error of KMS about an unreadable ciphertext.
 * @throws ApiError `unavailable` for any other error, for example when the key is throttled, denied or disabled
 */
function rethrowUnreadable(error: Error): never {
  if (unreadableErrors.includes(error.name)) throw error
  logLine('ERROR', 'secret_key_failed', { error: error.name })
  throw new ApiError('unavailable', undefined, { cause: error })
}

const kms = (KeyId: string): KeyService => ({
  name: KeyId,
  async generate(context) {
    const request = new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext: context })
    const { Plaintext, CiphertextBlob } = await awsClient(KMSClient).send(request).catch(rethrowUnreadable)
    if (!Plaintext || !CiphertextBlob) throw new Error('KMS returned no data key.')
    return { key: Plaintext, wrappedKey: CiphertextBlob }
  },
  async unwrap(CiphertextBlob, context) {
    const request = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext: context })
    const { Plaintext } = await awsClient(KMSClient).send(request).catch(rethrowUnreadable)
    if (!Plaintext) throw new Error('KMS returned no decrypted data key.')
    return Plaintext
  },
})

function keyFile(path: string): KeyService {
  const fileKey = readFileSync(path)
  const keyOf = (context: Context) => deriveKey(fileKey, JSON.stringify(context))
  return {
    name: base64(deriveKey(fileKey, 'name')),
    async generate(context) {
      const key = randomBytes(32)
      return { key, wrappedKey: encryptBytes(keyOf(context), key) }
    },
    unwrap: async (wrappedKey, context) => decryptBytes(keyOf(context), wrappedKey),
  }
}

function keyService(): KeyService {
  const { SECRET_KEY_ARN: arn, SECRET_KEY_FILE: path } = process.env
  if (path) return keyFile(path)
  if (arn) return kms(arn)
  throw new Error('Neither SECRET_KEY_FILE nor SECRET_KEY_ARN is set.')
}

const contextOf = ({ accountId, objectId }: Owner): Context => ({ account: accountId, object: objectId })
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const purpose = 'stored secret'

/** Cost of the hash that recognizes an unchanged secret. A low cost suffices, because the secrets of providers cannot be guessed. */
const hashCost = { ln: 14, r: 8, p: 1 }
const hashPatienceMs = 10_000

/** Returns the text to hash, which is bound to the owner, the key and the encrypted bytes. */
const hashText = (owner: Owner, encryptedText: string, secret: string): string =>
  JSON.stringify([contextOf(owner), keyService().name, encryptedText, secret])

/**
 * Encrypts a secret for an external service. The result contains the data key (encrypted for the owner), the secret (encrypted with the
 * data key) and a slow hash. The secret may therefore exceed the 4,096 bytes that KMS can encrypt.
 */
export async function encryptSecret(owner: Owner, secret: string): Promise<string> {
  const { key, wrappedKey } = await keyService().generate(contextOf(owner))
  const encryptedText = `${base64(wrappedKey)}.${base64(encryptBytes(deriveKey(key, purpose), Buffer.from(secret)))}`
  const hash = await hashPassword(hashText(owner, encryptedText, secret), retryUntil(hashPatienceMs), hashCost)
  return `${encryptedText}.${hash}`
}

/** Decrypts a stored secret. @throws UnreadableSecret, or ApiError `unavailable` while the key cannot be used */
export async function decryptSecret(owner: Owner, storedSecret: string): Promise<string> {
  const [wrappedKey, ciphertext] = storedSecret.split('.').map((part) => Buffer.from(part, 'base64'))
  try {
    // Rejects an empty data key as damaged, because KMS would report an invalid request instead.
    if (!wrappedKey?.length || !ciphertext) throw new Error('It is truncated.')
    const key = await keyService().unwrap(wrappedKey, contextOf(owner))
    return decryptBytes(deriveKey(key, purpose), ciphertext).toString()
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new UnreadableSecret('A stored secret cannot be decrypted.', { cause: error })
  }
}

/** True if a secret equals the stored one. Compares hashes, because functions that write secrets have no permission to decrypt. */
export async function isStored(
  owner: Owner,
  secret: string,
  storedSecret: string | null | undefined,
): Promise<boolean> {
  const [wrappedKey, ciphertext, hash] = storedSecret?.split('.') ?? []
  if (!hash) return false
  return matchesPassword(hashText(owner, `${wrappedKey}.${ciphertext}`, secret), hash, retryUntil(hashPatienceMs))
}

/** Encrypts a secret. Returns the stored form if the secret is unchanged, so that such an update writes nothing. */
export const reencryptSecret = async (
  owner: Owner,
  secret: string,
  storedSecret: string | null | undefined,
): Promise<string> =>
  storedSecret && (await isStored(owner, secret, storedSecret)) ? storedSecret : encryptSecret(owner, secret)
