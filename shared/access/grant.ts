import type { CallerOf } from '../auth/caller.ts'
import { deleteAuthorization } from '../commit/revoke.ts'
import { clock, timestamp } from '../core/clock.ts'
import { uuidV7 } from '../core/ids.ts'
import type { Subject } from '../core/subject.ts'
import { noteWrite } from '../core/work/work.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { clients } from '../domain/clients/client.ts'
import { chooseGateway } from '../domain/gateways/choose-gateway.ts'
import { type GatewayRow, gateways } from '../domain/gateways/gateway.ts'
import { type MembershipRow, memberships } from '../domain/memberships/membership.ts'
import { policies } from '../domain/policies/policy.ts'
import { type ResourceRow, resources } from '../domain/resources/resource.ts'
import {
  type CheckedPresence,
  isOnline,
  type LastSeen,
  presenceKey,
  readPresences,
} from '../domain/sessions/presence.ts'
import { type Attribution, attributionItem } from '../logs/flows/attribution.ts'
import { markEmail } from '../logs/flows/flow-emails.ts'
import { changeItem } from '../table/change-item.ts'
import { rowKey } from '../table/entity.ts'
import { entityKey, type Item, type Key } from '../table/keys.ts'
import { putItem, removeItem } from '../table/put-item.ts'
import { getItem, getStoredItems, rowsBy, type StoredItem } from '../table/read.ts'
import { prepareTogether, put, putIf, type Write } from '../table/write-together.ts'
import { AccessRefused } from './access-refused.ts'
import {
  type Authorization,
  type AuthorizationItem,
  authorizationItems,
  authorizationsOfClient,
  findGrant,
  hasExpired,
  pendingItem,
} from './authorization.ts'
import type { OnlineClient } from './client-presence.ts'
import type { Decision } from './decide.ts'

type GrantInput = Decision & { session: OnlineClient; onlineGateway: OnlineGateway; membership: MembershipRow | null }

/**
 * Stores a pending authorization (P5.5), checks again the rows that it depends on, and confirms it. Either this check sees a concurrent
 * revocation, or the revocation finds the pending item (docs/decisions/0018). Returns `conflict` if one of the rows has changed.
 */
export async function grant(
  caller: CallerOf<'client'>,
  subject: Subject,
  input: GrantInput,
  now: number,
): Promise<Authorization | 'conflict'> {
  const authorization = authorizationOf(caller, subject, input, now)
  const { main, grant, indexes } = authorizationItems(authorization)
  const outcome = await prepareTogether([put(pendingItem(main)), await claim(grant), ...indexes.map(put)])
  if (outcome === 'conflict') return 'conflict'
  const attribution = attributionOf(authorization, caller, input.session, input.resource)
  const item = attributionItem(authorization.account_id, attribution)
  const [isUnchanged] = await Promise.all([
    checkGrounds(authorization, input),
    putItem(item),
    markEmail(authorization.account_id, attribution),
  ])
  if (isUnchanged && (await confirm(main))) return authorization
  await Promise.all([deleteAuthorization(main), removeItem(item)])
  return 'conflict'
}

function authorizationOf(
  { account, actor, token }: CallerOf<'client'>,
  subject: Subject,
  { session, onlineGateway, policy, resource, membership, expiresAt }: GrantInput,
  now: number,
): Authorization {
  return {
    id: uuidV7(now),
    account_id: account.id,
    policy_id: policy.id,
    client_id: session.client.id,
    actor_id: actor.id,
    gateway_id: onlineGateway.gateway.id,
    resource_id: resource.id,
    client_token_id: token.id,
    membership: membership && `${membership.group_id}#${membership.actor_id}`,
    client_public_key: session.presence.public_key,
    client_remote_ip: subject.ip,
    gateway_remote_ip: onlineGateway.presence.last_seen_remote_ip,
    user_agent: subject.user_agent,
    flow_log_uploads_enabled: policy.flow_log_uploads_enabled,
    authorized_at: timestamp(now),
    expires_at: timestamp(expiresAt),
    state_at:
      [policy, resource, session.client, ...(membership ? [membership] : [])]
        .map(({ updated_at }) => updated_at)
        .sort()
        .at(-1) ?? policy.updated_at,
  }
}

/** Claims the unique pointer of a client and resource. Replaces a pointer whose authorization no longer exists. */
async function claim(pointer: Item): Promise<Write> {
  const formerPointer = await findGrant(pointer)
  if (!formerPointer || (await getItem(formerPointer.row))) return putIf(pointer, null)
  return putIf(pointer, { authorization_id: formerPointer.authorization_id })
}

/** Reads again the rows that the decision depends on. Returns true if none of them has changed. */
async function checkGrounds(
  { account_id: account, client_token_id: tokenId }: Authorization,
  { session, onlineGateway, policy, resource, membership }: GrantInput,
): Promise<boolean> {
  const { client, presence } = session
  const now = clock.now()
  const grounds: [key: Key, isSame: (item: StoredItem) => boolean][] = [
    [entityKey(account, policies.name, policy.id), (item) => item.updated_at === policy.updated_at],
    [entityKey(account, resources.name, resource.id), (item) => item.updated_at === resource.updated_at],
    [entityKey(account, clients.name, client.id), (item) => item.updated_at === client.updated_at],
    [entityKey(account, clientTokens.name, tokenId), () => true],
    [
      presenceKey(account, 'clients', client.id),
      (item) =>
        item.session_id === presence.session_id &&
        item.tested === presence.tested &&
        Number(item.lease_expires_at) > now,
    ],
    [
      presenceKey(account, 'gateways', onlineGateway.gateway.id),
      (item) => item.session_id === onlineGateway.presence.session_id && Number(item.lease_expires_at) > now,
    ],
  ]
  if (membership) {
    const key = rowKey(memberships, account, membership)
    grounds.push([key, (item) => item.inserted_at === membership.inserted_at])
  }
  const items = await getStoredItems(grounds.map(([key]) => key))
  return grounds.every(([, isSame], i) => items[i] !== undefined && isSame(items[i]))
}

/** Confirms a pending authorization. Returns false when a revocation has deleted it. */
const confirm = async ({ expires_at, ttl, ...key }: AuthorizationItem): Promise<boolean> =>
  (await changeItem(key, { set: { expires_at, ttl }, when: 'attribute_exists(pk)', wrap: noteWrite })) !== null

/** Snapshot of the names that flow logs show for an authorization (L12). Later renames do not change it. */
const attributionOf = (
  authorization: Authorization,
  { actor, token }: CallerOf<'client'>,
  { client, presence }: OnlineClient,
  resource: ResourceRow,
): Attribution => ({
  initiator_device_id: client.id,
  responder_device_id: authorization.gateway_id,
  policy_authorization_id: authorization.id,
  policy_id: authorization.policy_id,
  authorized_at: authorization.authorized_at,
  authorization_expires_at: authorization.expires_at,
  initiator_auth_provider_id: token.auth_provider_id,
  initiator_actor_id: actor.id,
  initiator_actor_name: actor.name,
  initiator_actor_email: actor.email,
  initiator_client_version: presence.last_seen_version,
  initiator_device_os_name: client.os_name,
  initiator_device_os_version: client.os_version,
  initiator_device_serial: client.device_serial,
  initiator_device_uuid: client.device_uuid,
  initiator_device_identifier_for_vendor: client.identifier_for_vendor,
  initiator_device_push_installation_id: client.push_installation_id,
  resource_id: resource.id,
  resource_name: resource.name,
  resource_address: resource.address,
})

export type OnlineGateway = { gateway: GatewayRow; presence: CheckedPresence }

const locationOf = ({
  last_seen_remote_ip_location_lat: lat = null,
  last_seen_remote_ip_location_lon: lon = null,
}: LastSeen) => ({ lat, lon })

/** Chooses the site's gateway for a client's traffic (P5.4). @throws AccessRefused `gateway_offline`, `version_mismatch` */
export async function siteGateway(
  account: string,
  siteId: string,
  { client, presence }: OnlineClient,
  now: number,
): Promise<OnlineGateway> {
  const [rows, clientAuthorizations] = await Promise.all([
    rowsBy(gateways, account, 'site_id', siteId),
    authorizationsOfClient(account, client.id),
  ])
  const presences = await readPresences(
    account,
    'gateways',
    rows.map((row) => row.id),
  )
  const usedGatewayIds = new Set(
    clientAuthorizations.flatMap((item) => (hasExpired(item, now) ? [] : [item.gateway_id])),
  )
  const onlineGateways = rows.flatMap((gateway, index) => {
    const gatewayPresence = presences[index] ?? null
    if (!gatewayPresence || !isOnline(gatewayPresence, now)) return []
    return [
      {
        id: gateway.id,
        version: gatewayPresence.last_seen_version,
        ...locationOf(gatewayPresence),
        hasAuthorization: usedGatewayIds.has(gateway.id),
        onlineGateway: { gateway, presence: gatewayPresence },
      },
    ]
  })
  const choice = chooseGateway(onlineGateways, { version: presence.last_seen_version, ...locationOf(presence) })
  if ('gateway' in choice) return choice.gateway.onlineGateway
  throw new AccessRefused(
    choice.reason,
    choice.reason,
    choice.reason === 'gateway_offline'
      ? 'No gateway of the resource is online.'
      : 'No online gateway of the resource has a version compatible with the client.',
  )
}
