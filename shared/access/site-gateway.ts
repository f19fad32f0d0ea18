import { ApiError } from '../core/errors.ts'
import { chooseGateway } from '../domain/gateways/choose-gateway.ts'
import { type GatewayRow, gateways } from '../domain/gateways/gateway.ts'
import { type CountedPresence, isOnline, type LastSeen, readPresences } from '../domain/presence/presence.ts'
import { rowsBy } from '../table/read.ts'
import { authorizationsOfClient, hasExpired } from './authorizations/authorization.ts'
import type { LiveClient } from './client-sessions/client-presence.ts'

export type LiveGateway = { gateway: GatewayRow; presence: CountedPresence }

const placeOf = ({
  last_seen_remote_ip_location_lat: lat = null,
  last_seen_remote_ip_location_lon: lon = null,
}: LastSeen) => ({ lat, lon })

/** The gateway of a site that takes the client's traffic (P5.4). @throws ApiError `gateway_offline`, `version_mismatch` */
export async function siteGateway(
  account: string,
  siteId: string,
  { client, presence }: LiveClient,
  now: number,
): Promise<LiveGateway> {
  const [rows, granted] = await Promise.all([
    rowsBy(gateways, account, 'site_id', siteId),
    authorizationsOfClient(account, client.id),
  ])
  const presences = await readPresences(
    account,
    'gateways',
    rows.map((row) => row.id),
  )
  const used = new Set(granted.flatMap((item) => (hasExpired(item, now) ? [] : [item.gateway_id])))
  const online = rows.flatMap((gateway, index) => {
    const seen = presences[index] ?? null
    if (!seen || !isOnline(seen, now)) return []
    return [
      {
        id: gateway.id,
        version: seen.last_seen_version,
        ...placeOf(seen),
        hasAuthorization: used.has(gateway.id),
        live: { gateway, presence: seen },
      },
    ]
  })
  const choice = chooseGateway(online, {
    version: presence.last_seen_version,
    ...placeOf(presence),
  })
  if ('gateway' in choice) return choice.gateway.live
  throw new ApiError(
    choice.reason,
    choice.reason === 'gateway_offline'
      ? 'No gateway of the resource is online.'
      : 'No online gateway of the resource has a version compatible with the client.',
  )
}
