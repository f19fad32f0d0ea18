import type { Key } from '../../table/keys.ts'
import { ifMet, putItem } from '../../table/put-item.ts'

/** Time after which a failed mail may be retried, in microseconds. The next half-hourly run does so. */
const retryMicros = 20 * 60_000_000

/** Item with the earliest time of the next mail of one kind, such as one about a source. */
const mailItem = (key: Key, next: number) => ({ ...key, kind: 'mail', next_at: next, ttl: Math.ceil(next / 1_000_000) })

/** Reserves the next mail. Returns false while the previous one is too recent. */
export async function reserveMail(key: Key, now: number): Promise<boolean> {
  const reserved = await ifMet(
    putItem(mailItem(key, now + retryMicros), {
      ConditionExpression: 'attribute_not_exists(pk) OR next_at <= :now',
      ExpressionAttributeValues: { ':now': now },
    }),
  )
  return reserved !== null
}

/** Records that the mail was sent. The next one may follow after the interval, in microseconds. */
export const recordMail = (key: Key, now: number, interval: number) => putItem(mailItem(key, now + interval))
