import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as deleteToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as unverifyClient } from '#functions/api/clients/unverify-client.ts'
import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as setMembers } from '#functions/api/memberships/replace-memberships.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { type AuthorizationItem, isPending } from '#shared/access/authorization.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { gateways } from '#shared/domain/gateways/gateway.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { findPresence, isOnline } from '#shared/domain/sessions/presence.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { linkKey } from '#shared/table/entity.ts'
import { getItem, getRow } from '#shared/table/read.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { type Answer, call } from '../accounts/account.ts'
import { insertRow } from '../accounts/rows.ts'
import { ItemsInFlight } from '../table/items-in-flight.ts'
import { plantClients } from '../table/plant-clients.ts'
import { newAccessWorld } from './access.ts'
import { end, start } from './gateways.ts'
import { publicKey } from './public-key.ts'

const clientCount = 8

/** Creates a world whose clients can all request the same resource. Revocations of a token, client or session affect the first client. */
async function newRace() {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const elsewhere = await insertRow(world.account.id, sites, { name: 'Elsewhere', managed_by: 'account' })
  const planted = await plantClients(world, clientCount, { verified_at: timestamp(clock.now()) })
  const sessions = await Promise.all(planted.map(({ start }) => start()))
  return { ...world, gateway, elsewhere, planted, session: String(sessions[0]?.body.data.id) }
}
type Race = Awaited<ReturnType<typeof newRace>>

const first = ({ planted: [one] }: Race) => {
  if (!one) throw new Error('There is no client.')
  return one
}

/** Operations that revoke access, keyed by their effect, for example `a disabled policy`. */
export const revocations: Record<string, (race: Race) => Promise<Pick<Answer, 'status' | 'body' | 'text'>>> = {
  'a disabled policy': ({ account, policy }) =>
    account.call(updatePolicy, { method: 'PATCH', params: { id: policy.id }, body: { policy: { is_disabled: true } } }),
  'other conditions': ({ account, policy }) => {
    const conditions = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }]
    return account.call(updatePolicy, { method: 'PATCH', params: { id: policy.id }, body: { policy: { conditions } } })
  },
  'a deleted policy': ({ account, policy }) =>
    account.call(deletePolicy, { method: 'DELETE', params: { id: policy.id } }),
  'a deleted resource': ({ account, resource }) =>
    account.call(deleteResource, { method: 'DELETE', params: { id: resource.id } }),
  'a resource in another site': ({ account, resource, elsewhere }) =>
    account.call(updateResource, {
      method: 'PATCH',
      params: { id: resource.id },
      body: { resource: { site_id: elsewhere.id } },
    }),
  'a group without its members': ({ account, group }) =>
    account.call(setMembers, { method: 'PUT', params: { group_id: group.id }, body: { memberships: [] } }),
  'a deleted group': ({ account, group }) => account.call(deleteGroup, { method: 'DELETE', params: { id: group.id } }),
  'a deleted actor': ({ account, actor }) => account.call(deleteActor, { method: 'DELETE', params: { id: actor.id } }),
  'a disabled actor': ({ account, actor }) =>
    account.call(updateActor, { method: 'PATCH', params: { id: actor.id }, body: { actor: { is_disabled: true } } }),
  'a policy of another group': async ({ account, policy }) => {
    const group = await insertRow(account.id, groups, { name: 'Elsewhere', ...nativeGroup })
    const body = { policy: { group_id: group.id } }
    return account.call(updatePolicy, { method: 'PATCH', params: { id: policy.id }, body })
  },
  'a deleted site': ({ account, site }) => account.call(deleteSite, { method: 'DELETE', params: { id: site.id } }),
  'a disabled account': async ({ account }) => {
    const change = { operation: 'update_account', account_id: account.id, account: { is_disabled: true } }
    const answer = await provision(change)
    return { status: 'data' in answer ? 200 : 500, body: answer, text: JSON.stringify(answer) }
  },
  'a deleted token': (race) =>
    race.account.call(deleteToken, { method: 'DELETE', params: { actor_id: race.actor.id, id: first(race).tokenId } }),
  'a deleted client': (race) => race.account.call(deleteClient, { method: 'DELETE', params: { id: first(race).id } }),
  'a client that is not verified': (race) =>
    race.account.call(unverifyClient, { method: 'PUT', params: { id: first(race).id } }),
  'a session that was ended': (race) =>
    call(endClientSession, { method: 'DELETE', token: first(race).token, params: { id: race.session } }),
  'a client with another key': (race) => first(race).start({ public_key: publicKey() }),
  'a deleted gateway': ({ account, site, gateway }) =>
    account.call(deleteGateway, { method: 'DELETE', params: { site_id: site.id, id: gateway.id } }),
  'a gateway with another key': async ({ gateway: { token, session } }) => {
    await end(token, session.id)
    return start(token)
  },
}

/**
 * Returns the names of the objects that a confirmed authorization depends on, but that were changed or deleted.
 * @param gatewayKey the gateway's public key, as returned to the client
 */
async function findMissing(
  { account: { id: account } }: Race,
  item: AuthorizationItem,
  gatewayKey?: string,
): Promise<string[]> {
  const [policy, resource, client, token, gateway, presence, gatewayPresence] = await Promise.all([
    getRow(policies, account, item.policy_id),
    getRow(resources, account, item.resource_id),
    getRow(clients, account, item.client_id),
    getRow(clientTokens, account, item.client_token_id),
    getRow(gateways, account, item.gateway_id),
    findPresence(account, 'clients', item.client_id),
    findPresence(account, 'gateways', item.gateway_id),
  ])
  const [group = '', actor = ''] = item.membership?.split('#') ?? []
  const membership = await getItem(linkKey(memberships, account, { set: group, member: actor }))
  const isNewest = (row: { updated_at: string } | null) => row !== null && row.updated_at <= item.state_at
  const facts: [string, boolean][] = [
    ['policy', isNewest(policy) && policy?.is_disabled === false],
    ['resource', isNewest(resource)],
    ['client', isNewest(client)],
    ['token', token !== null],
    ['gateway', gateway !== null && gatewayPresence?.public_key === gatewayKey],
    ['membership', membership !== undefined],
    ['session', isOnline(presence ?? null, clock.now()) && presence?.public_key === item.client_public_key],
  ]
  return facts.flatMap(([what, holds]) => (holds ? [] : [what]))
}

/**
 * Revokes access while clients request a resource, in simulated time with conflicting items. `faults` lists server errors, and
 * authorizations that depend on a changed or deleted object.
 */
export async function raceGrants(
  revocation: string,
  seed: number,
): Promise<{ faults: string[]; granted: number; pending: number }> {
  const random = new SeededRandom(seed)
  const race = await newRace()
  // Slows down puts, because a grant waits until its attribution is stored. An entire revocation then fits between the grant's second check
  // and its confirmation.
  const flight = new ItemsInFlight(seed, { PutItem: [4, 80] })
  const within = (ms: number) => clock.sleep(ms * random.next())
  try {
    const revoke = async () => {
      await within(120)
      return (revocations[revocation] as (typeof revocations)[string])(race)
    }
    const asks = race.planted.map(({ ask }) => async () => {
      await within(120)
      return ask()
    })
    const [revoked, ...answers] = await flight.run([revoke, ...asks])
    const statuses = [revoked, ...answers].map((one) => one?.result.status ?? 0)
    const faults = statuses.filter((status) => status >= 500).map((status) => `answered ${status}`)
    if ((revoked?.result.status ?? 500) > 201) faults.push(`the revocation was answered ${revoked?.result.text}`)
    const [listed] = await flight.run([() => authorizationsOf(race.account.id, { by: 'gateway', id: race.gateway.id })])
    const items = (listed?.result ?? []) as unknown as AuthorizationItem[]
    const confirmed = items.filter((item) => !isPending(item))
    const granted = answers.map(({ result }) => result.body.data).filter((data) => data !== undefined)
    const keys = new Map<string, string>(granted.map(({ id, gateway }) => [id, gateway.public_key]))
    const checks = await flight.run(confirmed.map((item) => () => findMissing(race, item, keys.get(item.id))))
    for (const { result } of checks) if (result.length > 0) faults.push(`granted without ${result.join(', ')}`)
    return {
      faults,
      granted: statuses.slice(1).filter((status) => status === 201).length,
      pending: items.length - confirmed.length,
    }
  } finally {
    flight.end()
  }
}
