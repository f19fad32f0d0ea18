import { clock, hourMicros, hourStart } from '#shared/core/clock.ts'
import { logId } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { hourText } from '#shared/seal/log/sealed-log.ts'
import { hourKey } from '#shared/seal/sealing/table-tiles.ts'
import { getItem } from '#shared/table/read.ts'
import { newAccount } from '../accounts/account.ts'
import { plantIntoFile } from '../table/plant-items.ts'
import { advanceMinutes, sealNow, sealWorld } from './sealing.ts'

const subject = { actor_id: 'a', actor_name: 'Ada', actor_type: 'service_account', actor_email: null }
const ids = { auth_provider_id: null, device_id: null, gateway_id: null, token_id: null }
const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }

/** Creates an account with `count` sessions in an hour that became ready to seal a minute ago. Adds one session in the next hour. */
export async function newSettledHour(count: number, of?: string) {
  sealWorld()
  const account = of ?? (await newAccount()).id
  const hour = hourStart(clock.now())
  const entry = { context: 'client', subject: { ...subject, ...ids, ...origin } }
  const items = Array.from({ length: count }, (_, i) =>
    logItems(account, 'session', logId('session', hour + i), hour + i, entry),
  )
  const next = hour + hourMicros
  items.push(logItems(account, 'session', logId('session', next), next, entry))
  plantIntoFile(items.flatMap(([item]) => item ?? []))
  advanceMinutes((next - clock.now()) / 60_000_000 + 16)
  const key = hourKey(account, 'session', hourText(hour))
  const seal = () => sealNow(account, 'activity')
  return { account, hour, seal, state: () => getItem<Record<string, unknown> & typeof key>(key) }
}
