import type { AccountModel } from '../models/account-model.ts'
import { judge, nowhere } from '../models/condition-model.ts'
import { rotationEnd } from '../models/gateway-token-model.ts'
import { nextClockChanges } from '../models/zone-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

const micros = 1_000_000

const rotationEnds = ({ gatewayTokens }: AccountModel): number[] =>
  [...gatewayTokens.all.values()].map(rotationEnd).filter((end) => Number.isFinite(end))

/** Returns the seconds at which a condition, token or authorization expires, or the UTC offset of a time zone changes. */
function boundaries({ model, random, clock }: SimulatedAccount): number[] {
  const times = random
    .sample(model.policies.values(), 20)
    .flatMap(({ conditions }) => conditions.filter(({ property }) => property === 'current_utc_datetime'))
    .map((condition) => judge([condition], nowhere, clock.second).end)
    .filter((end) => Number.isFinite(end))
  const ends = [
    ...[...model.authorizations.values(), ...model.tokens.values()].map(({ expiresAt }) => expiresAt),
    ...rotationEnds(model),
  ].map((end) => Math.floor(end / micros))
  return [
    ...times,
    ...random.sample(ends, 10),
    ...nextClockChanges(clock.second).filter((at) => at < clock.second + 6 * 86_400),
  ]
}

/** Advances the clock: mostly by less than a lease, sometimes by days, sometimes to within a second of an expiry. */
export async function jump(account: SimulatedAccount): Promise<Record<string, never>> {
  const { model, random, clock } = account
  const ahead = boundaries(account).filter((at) => at > clock.second + 1 && at < clock.second + 15 * 86_400)
  const near = ahead.filter((at) => at < clock.second + 3 * 3600)
  let to = random.weighted<() => number>([
    [50, () => clock.second + random.int(1, 90)],
    [25, () => clock.second + random.int(90, 900)],
    [near.length > 0 ? 12 : 0, () => random.pick(near) + random.int(-1, 1)],
    [ahead.length > 0 ? 6 : 0, () => random.pick(ahead) + random.int(-1, 1)],
    [4, () => clock.second + random.int(900, 36_000)],
    [1, () => clock.second + random.int(36_000, 250_000)],
  ])()
  // Avoids the seconds in which a lease or rotated token expires, so that none expires during the checks.
  const leases = [...model.clients.values(), ...model.gateways.values()].flatMap(
    ({ session }) => session?.leaseEnd ?? [],
  )
  const between = new Set([...leases, ...rotationEnds(model)].map((end) => Math.floor(end / micros)))
  while (between.has(to)) to++
  clock.jumpTo(to)
  account.settle()
  return {}
}
