import { createHash, randomBytes } from 'node:crypto'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { uuidBytes, uuidText } from '../core/ids.ts'
import { noteWrite } from '../core/work/work.ts'
import { type Item, type Key, partition } from '../table/keys.ts'
import { ifMet } from '../table/put-item.ts'
import { getItem } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'

/** Purpose of a one-time token. Only a local server creates `local` tokens (K2.7). */
type Purpose = 'pending' | 'code' | 'local'

type OneTimeToken = { accountId: string; key: Key }

export const oneTimePartition = (account: string, purpose: Purpose): string => partition(account, `sign_in.${purpose}`)

/** Hashes the secret, so that the table contains no usable token. */
const keyOf = (accountId: string, purpose: Purpose, secret: Uint8Array): Key => ({
  pk: oneTimePartition(accountId, purpose),
  sk: createHash('sha256').update(secret).digest('base64url'),
})

export function mintOneTimeToken(accountId: string, purpose: Purpose): OneTimeToken & { text: string } {
  const secret = randomBytes(32)
  const text = Buffer.concat([uuidBytes(accountId), secret]).toString('base64url')
  return { text, accountId, key: keyOf(accountId, purpose, secret) }
}

export function readOneTimeToken(text: string, purpose: Purpose): OneTimeToken | null {
  if (!/^[A-Za-z0-9_-]{64}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const accountId = uuidText(bytes.subarray(0, 16))
  return { accountId, key: keyOf(accountId, purpose, bytes.subarray(16)) }
}

type Expiring = { expires_at: number }

/** Builds an item that is valid until `expiresAt`, in microseconds. */
export const oneTimeItem = <T extends object>(key: Key, expiresAt: number, content: T): Item & Expiring & T => ({
  ...key,
  kind: 'sign_in',
  expires_at: expiresAt,
  ttl: Math.ceil(expiresAt / 1_000_000) + 60,
  ...content,
})

export async function readOneTimeItem<T extends object>(key: Key, now: number): Promise<(Expiring & T) | null> {
  const item = await getItem<Key & Expiring & T>(key)
  return item && item.expires_at > now ? item : null
}

/** Deletes and returns an unexpired item. Only one of several concurrent callers receives the item; the others receive null. */
export async function takeOneTimeItem<T extends object>(key: Key, now: number): Promise<(Expiring & T) | null> {
  const deletion = new DeleteCommand({
    TableName: tableName(),
    Key: { pk: key.pk, sk: key.sk },
    ConditionExpression: 'attribute_exists(pk) AND expires_at > :now',
    ExpressionAttributeValues: { ':now': now },
    ReturnValues: 'ALL_OLD',
  })
  const deleted = await ifMet(noteWrite(table().send(deletion)))
  // The cast is safe, because the partition contains only items of this kind.
  return (deleted?.Attributes as (Expiring & T) | undefined) ?? null
}
