import { createHash, randomBytes } from 'node:crypto'
import { uuidBytes, uuidText } from '../core/ids.ts'
import { changing } from '../core/work/work.ts'
import { table, tableName } from '../table/client.ts'
import { DeleteCommand } from '../table/commands.ts'
import { type Item, type Key, partition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { ConditionalCheckFailedException } from '../table/refused-write.ts'

/** What a token of a sign-in under way stands for: one that is at the provider, or a code that is to be redeemed. */
type Purpose = 'pending' | 'code'

/** A token that somebody carries through a browser, and the item that it stands for. */
export type OneTimeToken = { accountId: string; key: Key }

/** The partition of what an account's sign-ins under way are (docs/table.md). */
export const oneTimePartition = (account: string, purpose: Purpose): string => partition(account, `sign_in.${purpose}`)

/** Only the hash of the secret is stored, so what is in the table is no token. */
const keyOf = (accountId: string, purpose: Purpose, secret: Uint8Array): Key => ({
  pk: oneTimePartition(accountId, purpose),
  sk: createHash('sha256').update(secret).digest('base64url'),
})

/** A new token: it leads to its account, and holds 32 random bytes. */
export function mintOneTimeToken(accountId: string, purpose: Purpose): OneTimeToken & { text: string } {
  const secret = randomBytes(32)
  const text = Buffer.concat([uuidBytes(accountId), secret]).toString('base64url')
  return { text, accountId, key: keyOf(accountId, purpose, secret) }
}

/** The item that a text stands for, if it is such a token; null for anything else. */
export function readOneTimeToken(text: string, purpose: Purpose): OneTimeToken | null {
  if (!/^[A-Za-z0-9_-]{64}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const accountId = uuidText(bytes.subarray(0, 16))
  return { accountId, key: keyOf(accountId, purpose, bytes.subarray(16)) }
}

type Expiring = { expires_at: number }

/** An item that counts until an instant, in microseconds; the table reclaims it some time after. */
export const oneTimeItem = <T extends object>(key: Key, expiresAt: number, content: T): Item & Expiring & T => ({
  ...key,
  kind: 'sign_in',
  expires_at: expiresAt,
  ttl: Math.ceil(expiresAt / 1_000_000) + 60,
  ...content,
})

/** The item while it counts. */
export async function lookAtOneTime<T extends object>(key: Key, now: number): Promise<(Expiring & T) | null> {
  const item = await getItem<Key & Expiring & T>(key)
  return item && item.expires_at > now ? item : null
}

/** Takes the item away, which of many at once one alone does; null for the others, and for one that has ended. */
export async function takeOneTime<T extends object>(key: Key, now: number): Promise<(Expiring & T) | null> {
  try {
    const taking = new DeleteCommand({
      TableName: tableName(),
      Key: { pk: key.pk, sk: key.sk },
      ConditionExpression: 'attribute_exists(pk) AND expires_at > :now',
      ExpressionAttributeValues: { ':now': now },
      ReturnValues: 'ALL_OLD',
    })
    const { Attributes } = await changing(table().send(taking))
    // At its key nothing else is ever written.
    return (Attributes as (Expiring & T) | undefined) ?? null
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null
    throw error
  }
}
