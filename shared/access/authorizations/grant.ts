import type { CallerOf } from '../../auth/caller.ts'
import { deleteAuthorization } from '../../commit/revoke.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { uuidV7 } from '../../core/ids.ts'
import type { Subject } from '../../core/subject.ts'
import { changing } from '../../core/work/work.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import { type MembershipRow, memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { presenceKey } from '../../domain/presence/presence.ts'
import { resources } from '../../domain/resources/resource.ts'
import { attributionItem } from '../../logs/flows/attribution.ts'
import { markEmail } from '../../logs/flows/flow-marks.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, PutCommand, UpdateCommand } from '../../table/commands.ts'
import { rowKey } from '../../table/entity.ts'
import { entityKey, type Item, type Key } from '../../table/keys.ts'
import { getItem, getStoredItems, type StoredItem } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { prepareTogether, put, putOver, type Write } from '../../table/write-together.ts'
import type { LiveClient } from '../client-sessions/client-presence.ts'
import type { Decision } from '../decide.ts'
import type { LiveGateway } from '../site-gateway.ts'
import { attributionOf } from './attribution-of.ts'
import {
  type Authorization,
  type AuthorizationItem,
  authorizationItems,
  findGrant,
  pendingItem,
} from './authorization.ts'

type GrantInput = Decision & { session: LiveClient; live: LiveGateway; membership: MembershipRow | null }

/**
 * Stores an authorization (P5.5): pending, with items that no other client writes; then looks again at all it rests on; then
 * confirms it. Whatever ends it is seen by that look, or comes after it and finds the pending one to delete
 * (docs/decisions/0018). `lost` when something has changed since the decision.
 */
export async function grant(
  caller: CallerOf<'client'>,
  subject: Subject,
  input: GrantInput,
  now: number,
): Promise<Authorization | 'lost'> {
  const authorization = authorizationOf(caller, subject, input, now)
  const { main, grant, edges } = authorizationItems(authorization)
  const outcome = await prepareTogether([put(pendingItem(main)), await claim(grant), ...edges.map(put)])
  if (outcome === 'lost') return 'lost'
  const attribution = attributionOf(authorization, caller, input.session, input.resource)
  const item = attributionItem(authorization.account_id, attribution)
  const [stands] = await Promise.all([
    stillStands(authorization, input),
    table().send(new PutCommand({ TableName: tableName(), Item: item })),
    markEmail(authorization.account_id, attribution),
  ])
  if (stands && (await confirm(main))) return authorization
  await Promise.all([
    deleteAuthorization(main),
    table().send(new DeleteCommand({ TableName: tableName(), Key: { pk: item.pk, sk: item.sk } })),
  ])
  return 'lost'
}

function authorizationOf(
  { account, actor, token }: CallerOf<'client'>,
  subject: Subject,
  { session, live, policy, resource, membership, expiresAt }: GrantInput,
  now: number,
): Authorization {
  return {
    id: uuidV7(now),
    account_id: account.id,
    policy_id: policy.id,
    client_id: session.client.id,
    actor_id: actor.id,
    gateway_id: live.gateway.id,
    resource_id: resource.id,
    client_token_id: token.id,
    membership: membership && `${membership.group_id}#${membership.actor_id}`,
    client_public_key: session.presence.public_key,
    client_remote_ip: subject.ip,
    gateway_remote_ip: live.presence.last_seen_remote_ip,
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

/** One authorization of a client for a resource; the pointer of one that expired by itself is taken over. */
async function claim(pointer: Item): Promise<Write> {
  const former = await findGrant(pointer)
  if (!former || (await getItem(former.row))) return putOver(pointer, null)
  return putOver(pointer, { authorization_id: former.authorization_id })
}

/** Whether all that the decision rests on is still as it was decided on, read again after the pending one is stored. */
async function stillStands(
  { account_id: account, client_token_id: tokenId }: Authorization,
  { session, live, policy, resource, membership }: GrantInput,
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
      presenceKey(account, 'gateways', live.gateway.id),
      (item) => item.session_id === live.presence.session_id && Number(item.lease_expires_at) > now,
    ],
  ]
  if (membership) {
    const key = rowKey(memberships, account, membership)
    grounds.push([key, (item) => item.inserted_at === membership.inserted_at])
  }
  const items = await getStoredItems(grounds.map(([key]) => key))
  return grounds.every(([, isSame], i) => items[i] !== undefined && isSame(items[i]))
}

/** From here on it counts. False when it was revoked meanwhile, and is gone. */
async function confirm({ pk, sk, expires_at, ttl }: AuthorizationItem): Promise<boolean> {
  try {
    const confirmation = new UpdateCommand({
      TableName: tableName(),
      Key: { pk, sk },
      UpdateExpression: 'SET expires_at = :end, #ttl = :ttl',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':end': expires_at, ':ttl': ttl },
    })
    await changing(table().send(confirmation))
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
