import { someClient } from '../actions/client-actions.ts'
import { connectClient } from '../actions/client-sessions.ts'
import { connectGateway } from '../actions/gateway-sessions.ts'
import type { Actor, Authorization, Client, Gateway, Resource } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { compareDecision } from './compare-decision.ts'
import { compareEndedTokens } from './compare-ended-tokens.ts'
import { compareEvaluation } from './compare-evaluation.ts'
import { compareHeartbeat } from './compare-heartbeat.ts'
import { compareActors, compareResources } from './compare-lists.ts'
import type { NudgeJudge } from './nudge-judge.ts'

const maxChecks = { decisions: 2, heartbeats: 2 }

/** Picks a client and a resource with a policy for one of the client's groups. `among` limits the choice of resources. */
function somePair({ model, access, random }: SimulatedAccount, among?: Iterable<string>): [Client, string] | null {
  const resources = new Set(among)
  const policies = [...model.policies.values()].filter(
    ({ group, resource }) => group !== null && (resources.size === 0 || resources.has(resource)),
  )
  if (policies.length === 0) return null
  const policy = random.pick(policies)
  const members = [...model.clients.values()].filter(({ actor }) =>
    access.isInGroup(model.actors.get(actor) as Actor, policy.group),
  )
  const connected = members.filter(({ session }) => session !== null)
  const candidates = connected.length > 0 && random.chance(0.7) ? connected : members
  return candidates.length > 0 ? [random.pick(candidates), policy.resource] : null
}

function pairsToAsk(account: SimulatedAccount, touched: Touched): [Client, string][] {
  const { model, random } = account
  const toPairs = ({ client, resource }: Authorization): [Client, string][] => {
    const owner = model.clients.get(client)
    return owner ? [[owner, resource]] : []
  }
  const ended = random.sample(model.ended, 2).flatMap(toPairs)
  const existing = random.chance(0.3) ? random.sample(model.authorizations.values(), 1).flatMap(toPairs) : []
  // Picks a resource at the site of an existing authorization, because the service then prefers the gateway already in use (P5.4).
  const further = random
    .sample(model.authorizations.values(), random.chance(0.3) ? 1 : 0)
    .flatMap((one): [Client, string][] => {
      const client = model.clients.get(one.client) as Client
      const site = model.resources.get(one.resource)?.site
      const granted = [...model.resources.values()].filter(
        ({ id, site: other }) =>
          other === site && account.access.policiesFor(model.actors.get(client.actor) as Actor, id).length > 0,
      )
      return random.sample(granted, 1).map(({ id }) => [client, id])
    })
  const pairs = [
    ...ended,
    ...existing,
    ...further,
    ...(touched.resources ? [somePair(account, touched.resources)] : []),
    random.chance(0.8) ? somePair(account) : null,
    random.chance(0.3) ? ([someClient(account), random.pick([...model.resources.keys()])] as [Client, string]) : null,
  ].filter((pair) => pair !== null)
  // Limits concurrent requests to one per client.
  return [...new Map(pairs.map((pair) => [pair[0].id, pair])).values()].slice(0, maxChecks.decisions)
}

/**
 * Compares the service with the model after a step. Checks the objects affected by the step and by ended authorizations first, and then
 * random objects.
 */
export async function checkStep(account: SimulatedAccount, touched: Touched, judge: NudgeJudge): Promise<void> {
  const { model, random } = account
  const pairs = pairsToAsk(account, touched)
  const gatewayIds = [...model.ended.splice(0).map(({ gateway }) => gateway), ...(touched.gateways ?? [])]
  for (const [client, resource] of pairs) {
    if (!client.session && random.chance(0.9)) await connectClient(account, client)
    const site = model.resources.get(resource)?.site
    const [offline] = [...model.gateways.values()].filter((gateway) => gateway.site === site && !gateway.session)
    if (offline && random.chance(account.access.onlineGateways(site ?? null).length === 0 ? 0.8 : 0.2))
      await connectGateway(account, offline)
  }
  account.settle()
  await Promise.all(pairs.map(([client, resource]) => compareDecision(account, client, resource)))
  await judge.judgeGrants()

  const gateways = random
    .sample(new Set([...gatewayIds, ...random.sample(model.gateways.keys(), 1)]), maxChecks.heartbeats)
    .flatMap((id) => model.gateways.get(id) ?? [])
    .filter(({ session }) => session !== null)
  const [client, resourceId] = pairs.at(-1) ?? [someClient(account), '']
  const resource = model.resources.get(resourceId) ?? random.pick([...model.resources.values()])
  const actor = model.actors.get(client.actor) as Actor
  const touchedResources = [...(touched.resources ?? [])].flatMap((id) => model.resources.get(id) ?? [])
  const touchedActors = [...(touched.actors ?? [])].flatMap((id) => model.actors.get(id) ?? [])
  const listedResources: Resource[] =
    touchedResources.length > 0 ? random.sample(touchedResources, 1) : random.chance(0.2) ? [resource] : []
  const listedActors: Actor[] =
    touchedActors.length > 0 ? random.sample(touchedActors, 1) : random.chance(0.2) ? [actor] : []
  await Promise.all([
    ...gateways.map((gateway: Gateway) => compareHeartbeat(account, gateway, random.chance(0.4))),
    ...(random.chance(0.5) ? [compareEvaluation(account, actor, resource, random.chance(0.7) ? client : null)] : []),
    ...listedResources.map((one) => compareActors(account, one)),
    ...listedActors.map((one) => compareResources(account, one)),
    compareEndedTokens(account),
  ])
}
