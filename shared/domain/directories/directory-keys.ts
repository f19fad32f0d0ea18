import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Transaction } from '../../commit/transaction.ts'
import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { note } from '../../core/logging/invocation.ts'
import { encryptSecret, type Owner } from '../../core/secrets/stored-secret.ts'
import { getItem, getRow } from '../../table/read.ts'
import { serviceUniqueKey } from '../accounts/account.ts'
import { directories, type PublicKey } from './directory.ts'

/** Stages the item that maps a directory id to its account. Requests for the directory's keys contain only the directory id. */
export const stageKeyLookup = (transaction: Transaction, id: string): void =>
  transaction.put({ ...serviceUniqueKey('idp_directory', id), kind: 'unique', account_id: transaction.accountId })

/** Reads a directory's public signing keys, which the identity provider fetches (I4.2). @throws ApiError 404 */
export async function readDirectoryKeys(directoryId: string) {
  const id = directoryId.toLowerCase()
  const unique = isUuid(id) ? await getItem<{ account_id: string }>(serviceUniqueKey('idp_directory', id)) : undefined
  const row = unique && (await getRow(directories.idp, unique.account_id, id))
  if (!row?.kid || !row.public_key) throw notFound()
  note({ account_id: row.account_id })
  return { keys: [publicJwk(row.kid, row.public_key)] }
}

/**
 * Generates the signing key of an `idp` directory. Returns the fields to store, with an encrypted private key, and the public key to
 * register.
 */
export async function newKeyPair(owner: Owner, kid: string) {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { n, e } = publicKey.export({ format: 'jwk' })
  const public_key = { n: String(n), e: String(e) }
  return {
    stored: { kid, public_key, private_key: await encryptSecret(owner, pem) },
    public_jwk: publicJwk(kid, public_key),
  }
}

const publicJwk = (kid: string, { n, e }: PublicKey) => ({ kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' })
