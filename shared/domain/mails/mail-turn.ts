import type { Key } from '../../table/keys.ts'
import { ifMet, putItem } from '../../table/put-item.ts'

/** A mail that failed is tried again by the next run, half an hour later. */
const patience = 20 * 60_000_000

/** Instant of the next mail to somebody, or about something. */
const turnItem = (turn: Key, next: number) => ({
  ...turn,
  kind: 'mail',
  next_at: next,
  ttl: Math.ceil(next / 1_000_000),
})

/** Takes a turn of mailing; false while the last one is too fresh. */
export async function beginMail(turn: Key, now: number): Promise<boolean> {
  const taken = await ifMet(
    putItem(turnItem(turn, now + patience), {
      ConditionExpression: 'attribute_not_exists(pk) OR next_at <= :now',
      ExpressionAttributeValues: { ':now': now },
    }),
  )
  return taken !== null
}

/** Ends a turn whose mail is out: the next one is due after the interval, in microseconds. */
export const endMail = (turn: Key, now: number, interval: number) => putItem(turnItem(turn, now + interval))
