import type { Key } from '../../table/keys.ts'
import { ifMet, putItem } from '../../table/put-item.ts'

/** Time in microseconds after which a failed mail may be retried. Short enough for the next half-hourly run to retry it. */
const retryMicros = 20 * 60_000_000

const mailItem = (key: Key, next: number) => ({ ...key, kind: 'mail', next_at: next, ttl: Math.ceil(next / 1_000_000) })

/** Reserves the right to send the next mail. Returns false if the previous mail is too recent. */
export async function reserveMail(key: Key, now: number): Promise<boolean> {
  const reservation = await ifMet(
    putItem(mailItem(key, now + retryMicros), {
      ConditionExpression: 'attribute_not_exists(pk) OR next_at <= :now',
      ExpressionAttributeValues: { ':now': now },
    }),
  )
  return reservation !== null
}

/** Records a sent mail. The next mail is permitted after `interval` microseconds. */
export const recordMail = (key: Key, now: number, interval: number) => putItem(mailItem(key, now + interval))
