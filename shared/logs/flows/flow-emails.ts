import { dayMicros } from '../../core/clock.ts'
import { changeItem } from '../../table/change-item.ts'
import { sortKeysOf } from '../../table/read.ts'
import { pointerPartition } from '../entries/log-keys.ts'
import { type Attribution, attributionItem } from './attribution.ts'

/** Partition of the actors who had the email address when they were authorized. */
const emailActorsPartition = (account: string, email: string): string =>
  pointerPartition(account, 'flow', 'email', email)

const emailMarkExpiries = new Map<string, number>()

/** Indexes an actor by the email in an authorization's snapshot, until the authorization's last flow expires (L12). */
export async function markEmail(account: string, attribution: Attribution): Promise<void> {
  const { initiator_actor_email: email, initiator_actor_id: actor } = attribution
  if (email === null) return
  const Key = { pk: emailActorsPartition(account, email), sk: actor }
  const name = `${Key.pk} ${actor}`
  const until = attributionItem(account, attribution).ttl
  if ((emailMarkExpiries.get(name) ?? 0) >= until) return
  // Adds a day to the expiry, so that not every new authorization has to write the mark again.
  const ttl = until + dayMicros / 1_000_000
  // The condition keeps a stored mark that expires later.
  await changeItem(Key, { set: { kind: 'flow_mark', ttl }, when: 'attribute_not_exists(pk) OR #ttl < :ttl' })
  if (emailMarkExpiries.size > 100_000) emailMarkExpiries.clear()
  emailMarkExpiries.set(name, ttl)
}

/** Returns the ids of the actors who had the email address when they were authorized. */
export const actorsWithEmail = (account: string, email: string): Promise<string[]> =>
  sortKeysOf(emailActorsPartition(account, email))
