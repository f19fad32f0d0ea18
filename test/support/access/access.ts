import { handler as authorize } from '#functions/api/authorizations/create-authorization.ts'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as createClientToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler as startGatewaySession } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { commit } from '#shared/commit/commit.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { type PolicyRow, policies } from '#shared/domain/policies/policy.ts'
import { type ResourceRow, resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { call, newAccount } from '../accounts/account.ts'
import { dnsResource, openPolicy } from '../accounts/row-fields.ts'
import { actorRow, insertRow } from '../accounts/rows.ts'
import { publicKey } from './public-key.ts'

const wiki = { name: 'Wiki', ...dnsResource, address: 'wiki.example.com' }

/**
 * Creates an account with a site, a resource in the site, and a group with one member. A policy grants the group access to the resource.
 */
export async function newAccessWorld(conditions: PolicyRow['conditions'] = [], options: Record<string, unknown> = {}) {
  const account = await newAccount(options)
  const author = { accountId: account.id, subject: null }
  const { site, actor, group, membership, resource, policy } = await commit(author, async (transaction) => {
    const site = transaction.insert(sites, { name: 'Berlin', managed_by: 'account' })
    const actor = transaction.insert(actors, actorRow)
    const group = transaction.insert(groups, { name: 'Engineering', ...nativeGroup })
    const membership = transaction.insert(memberships, { group_id: group.id, actor_id: actor.id })
    const resource = transaction.insert(resources, { ...wiki, site_id: site.id })
    const granted = { group_id: group.id, ...openPolicy, resource_id: resource.id, conditions }
    return { site, actor, group, membership, resource, policy: transaction.insert(policies, granted) }
  })

  const addResource = (fields: Partial<ResourceRow> = {}) =>
    insertRow(account.id, resources, { ...wiki, site_id: site.id, ...fields })
  const addPolicy = (fields: Partial<PolicyRow>) =>
    insertRow(account.id, policies, { group_id: group.id, ...openPolicy, resource_id: '', ...fields })

  const addToken = async (of: ActorRow = actor, expires_at = '2099-01-01T00:00:00Z') => {
    const answer = await account.call(createClientToken, {
      params: { actor_id: of.id },
      body: { client_token: { expires_at } },
    })
    if (answer.status !== 201) throw new Error(`No token was created: ${answer.text}`)
    return answer.body.data as { id: string; token: string }
  }
  const token = await addToken()

  const startSession = (fields: Record<string, unknown> = {}, request: { token?: string; sourceIp?: string } = {}) =>
    call(startClientSession, {
      method: 'POST',
      token: token.token,
      body: { session: { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0', ...fields } },
      ...request,
    })
  const ask = (fields: Record<string, unknown>, request: { token?: string; sourceIp?: string } = {}) =>
    call(authorize, { method: 'POST', token: token.token, body: { authorization: fields }, ...request })
  const addGateway = async (version = '1.4.0', siteId = site.id) => {
    const gateway = (await account.call(createGateway, { method: 'POST', params: { site_id: siteId } })).body.data
    const public_key = publicKey()
    const session = await call(startGatewaySession, {
      method: 'POST',
      token: gateway.token,
      body: { session: { public_key, version } },
    })
    return { ...gateway, public_key, session: session.body.data }
  }
  return {
    account,
    site,
    actor,
    group,
    membership,
    resource,
    policy,
    token,
    addResource,
    addPolicy,
    addToken,
    addGateway,
    startSession,
    ask,
  }
}

export type AccessWorld = Awaited<ReturnType<typeof newAccessWorld>>
