import { clock, dayMicros, timestamp } from '../../core/clock.ts'
import { partition } from '../../table/keys.ts'
import { getRows, queryItems } from '../../table/read.ts'
import { actors, isPerson } from '../actors/actor.ts'
import { clients } from '../clients/client.ts'

const month = 30 * dayMicros

/** Distinct enabled users and admins with a client seen within the last 30 days (A11). Read only where that limit is set. */
export async function countMonthlyActiveUsers(account: string): Promise<number> {
  const since = timestamp(clock.now() - month)
  const live = await queryItems(partition(account, `live.${clients.name}`))
  const recent = live.filter((item) => typeof item.last_seen_at === 'string' && item.last_seen_at >= since)
  const rows = await getRows(
    clients,
    account,
    recent.map((item) => String(item.sk)),
  )
  const owners = [...new Set(rows.flatMap((client) => (client ? [client.actor_id] : [])))]
  const people = await getRows(actors, account, owners)
  return people.filter((actor) => actor && !actor.is_disabled && isPerson(actor.type)).length
}
