import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { parseTimestamp, timestamp } from '#shared/core/clock.ts'
import type { Actor, Client, Resource } from '../models/account-model.ts'
import { nowhere, verdictOf } from '../models/condition-model.ts'
import { nextClockChanges } from '../models/zone-model.ts'
import { agree } from '../world/agree.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

const micros = 1_000_000
const ended = (micros: number): string | null => (Number.isFinite(micros) ? timestamp(micros) : null)

/** Picks an instant in microseconds: near the end of a time window, near a clock change, or at random. */
function interestingInstant({ model, random, clock }: SimulatedAccount, resource: Resource): number {
  const any = clock.second + random.int(-900_000, 900_000)
  const ends = [...model.policies.values()]
    .filter((policy) => policy.resource === resource.id)
    .flatMap(({ conditions }) => conditions.filter(({ property }) => property === 'current_utc_datetime'))
    .flatMap((condition) => verdictOf(condition, nowhere, random.pick([clock.second, any])).until ?? [])
  const second = random.weighted<() => number>([
    [ends.length > 0 ? 4 : 0, () => random.pick(ends) + random.pick([0, 0, -1, 1])],
    [3, () => random.pick(nextClockChanges(clock.second)) + random.int(-7_200, 3_600)],
    [3, () => any],
  ])()
  return second * micros + random.pick([0, 0, 500_000])
}

/** Compares an access evaluation (P6) with the model at a random instant and place, with or without a client. */
export async function compareEvaluation(
  account: SimulatedAccount,
  actor: Actor,
  resource: Resource,
  client: Client | null,
): Promise<void> {
  const { access, random, clock, model } = account
  const otherPlace = random.pick(places)
  const given = {
    ip: random.chance(0.4) ? otherPlace.ip : null,
    region: random.chance(0.4) ? otherPlace.region : null,
    auth_provider_id: random.chance(0.5) ? random.pick([...model.providers.keys()]) : null,
    at: random.chance(0.7) ? timestamp(interestingInstant(account, resource)) : null,
  }
  const answer = await account.ask(evaluate, {
    method: 'POST',
    body: { actor_id: actor.id, resource_id: resource.id, client_id: client?.id, ...given },
  })
  const subject = `actor ${actor.id} and resource ${resource.id} in ${JSON.stringify(given)}`
  agree(`evaluating ${subject}`, answer.status, 200)
  const { data } = answer.body
  const at = parseTimestamp(data.evaluated_at) as number
  account.note(`evaluation ${data.reason ?? 'allow'}`)
  agree(`the instant for ${subject}`, given.at ? data.evaluated_at : at > 0 && at <= clock.now, given.at ?? true)
  const circumstances = {
    ip: given.ip ?? client?.seen?.ip ?? null,
    region: given.region ?? client?.seen?.region ?? null,
    provider: given.auth_provider_id,
    verified: client?.verified ?? false,
  }
  const expected = access.evaluate(actor, resource, circumstances, at)
  agree(`what would be decided for ${subject}`, data, {
    decision: expected.reason === null ? 'allow' : 'deny',
    reason: expected.reason,
    violated: expected.violated,
    policy_id: expected.policy,
    expires_at: expected.end === null ? null : timestamp(expected.end),
    gateway_online: expected.gatewayOnline,
    evaluated_at: data.evaluated_at,
    policies: expected.policies.map(({ policy, violated, end }) => ({
      id: policy.id,
      group_id: policy.group,
      is_disabled: policy.disabled,
      conforms: violated.length === 0,
      expires_at: violated.length === 0 ? ended(end) : null,
      conditions: policy.conditions.map((condition) => {
        const { passed, until } = verdictOf(condition, circumstances, Math.floor(at / micros))
        return { ...condition, passed, until: until === null ? null : timestamp(until * micros) }
      }),
    })),
  })
}
