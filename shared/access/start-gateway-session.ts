import * as v from 'valibot'
import type { CallerOf } from '../auth/caller.ts'
import { commit } from '../commit/commit.ts'
import { revoke } from '../commit/revoke.ts'
import { clock } from '../core/clock.ts'
import { ApiError, unauthorized } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import type { Subject } from '../core/subject.ts'
import { allocateAddress } from '../domain/devices/allocate-address.ts'
import { gatewayTokens, noteFirstUse } from '../domain/gateway-tokens/gateway-token.ts'
import {
  findByPublicKey,
  type GatewayRow,
  gateways,
  generateGatewayName,
  publicKeyItem,
  publicKeyKey,
} from '../domain/gateways/gateway.ts'
import { gatewaySessionKey, gatewaySessionPointer } from '../domain/gateways/session-pointer.ts'
import { renderGateway } from '../domain/gateways/store.ts'
import { DevicePublicKey, leaseEnd, renderLease, Version } from '../domain/sessions/lease.ts'
import {
  findPresence,
  isOnline,
  type Presence,
  presenceItem,
  readPresence,
  toLastSeen,
} from '../domain/sessions/presence.ts'
import { connectionOf } from '../live/connection.ts'
import { endSessionConnection } from '../live/send-message.ts'
import { sessionLogItems } from '../logs/entries/log-store.ts'
import { entityKey } from '../table/keys.ts'
import { getRow } from '../table/read.ts'
import { check, put, putIf, remove, untilDone, writeTogether } from '../table/write-together.ts'
import { field } from '../values/field.ts'
import { NullableText } from '../values/fields.ts'

type Caller = CallerOf<'gateway'>

/**
 * Starts a session of the token's gateway (P2). Replaces an online session with the same key.
 * @throws ApiError `gateway_already_connected` while a session with another key is online
 */
export async function startGatewaySession(caller: Caller, subject: Subject, input: () => GatewaySessionFields) {
  const { account, token } = caller
  const fields = input()
  const { gateway, presence, now } = await untilDone(async () => {
    const gateway = await gatewayOfToken(caller, subject, fields)
    const before = await readFormerSession(account.id, gateway, fields.public_key)
    await noteFirstUse({ accountId: account.id, subject }, token)
    const startedSession = await store(
      caller,
      { ...subject, device_id: gateway.id, gateway_id: gateway.id },
      gateway,
      before,
      fields,
    )
    if (startedSession !== 'conflict') return { gateway, ...startedSession }
    if (!(await getRow(gatewayTokens, account.id, token.id))) throw unauthorized()
    return 'conflict'
  })
  const tokenPresence = { ...presence, rotated_at: token.rotated_at }
  return {
    data: {
      id: presence.session_id,
      gateway: renderGateway(gateway, tokenPresence, now),
      ...renderLease('gateways', presence.lease_expires_at),
    },
  }
}

/** Reads the latest session. @throws ApiError `gateway_already_connected` if the session is online with another key */
async function readFormerSession(account: string, gateway: GatewayRow, publicKey: string): Promise<Presence | null> {
  const before = await findPresence(account, 'gateways', gateway.id)
  if (!before || before.public_key === publicKey) return before ?? null
  if (isOnline(await readPresence(account, 'gateways', gateway.id), clock.now())) {
    throw new ApiError('gateway_already_connected', 'The gateway has an active session with another public key.')
  }
  return before
}

/** Stores the session and its log entry. Returns `conflict` when the gateway or token was deleted or another session has started. */
async function store(
  { account, token }: Caller,
  subject: Subject,
  gateway: GatewayRow,
  before: Presence | null,
  { public_key, version }: GatewaySessionFields,
): Promise<{ presence: Presence; now: number } | 'conflict'> {
  const now = clock.now()
  const presence: Presence = {
    session_id: uuidV7(now),
    lease_expires_at: leaseEnd(now),
    token_id: token.id,
    public_key,
    ...toLastSeen(subject, version, now),
  }
  const hasNewKey = before?.public_key !== public_key
  // Revokes before a new key is stored, because clients have the old key (P1.8). A crash then leaves no authorization with the old key.
  if (before && hasNewKey) await revoke(account.id, { by: 'gateway', id: gateway.id })
  const expected = before && {
    session_id: before.session_id,
    // Requires an unchanged lease for a new key, because a heartbeat in between would have renewed the former session.
    ...(hasNewKey && { lease_expires_at: before.lease_expires_at }),
  }
  const outcome = await writeTogether([
    putIf(presenceItem(account.id, 'gateways', gateway.id, presence), expected),
    ...sessionLogItems(account.id, { context: 'gateway', subject, at: now }).map(put),
    check(entityKey(account.id, gateways.name, gateway.id)),
    check(entityKey(account.id, gatewayTokens.name, token.id)),
    ...(token.gateway_id === null
      ? [
          put(
            gatewaySessionPointer(
              account.id,
              { tokenId: token.id, sessionId: presence.session_id, gatewayId: gateway.id },
              now,
            ),
          ),
        ]
      : []),
    ...(hasNewKey ? [put(publicKeyItem(account.id, gateway.site_id, public_key, gateway.id))] : []),
    ...(before ? [remove(gatewaySessionKey(account.id, before.token_id, before.session_id))] : []),
    ...(before && hasNewKey ? [remove(publicKeyKey(account.id, gateway.site_id, before.public_key, gateway.id))] : []),
  ])
  if (outcome === 'conflict') return 'conflict'
  // Revokes again, because a concurrent decision could have stored an authorization with the old key.
  if (before && hasNewKey) await revoke(account.id, { by: 'gateway', id: gateway.id })
  const connection = before && connectionOf(account.id, 'gateways', gateway.id, before)
  if (connection) await endSessionConnection(connection, 'replaced')
  return { presence, now }
}

type GatewayInput = { public_key: string; name?: string | null }

/** Finds the token's gateway, or finds or creates the site's gateway with this public key (P2.2). */
async function gatewayOfToken(
  { account, token, gateway: ownGateway }: CallerOf<'gateway'>,
  subject: Subject,
  { public_key, name }: GatewayInput,
): Promise<GatewayRow> {
  if (ownGateway) return ownGateway
  const siteId = token.site_id
  const find = () => findByPublicKey(account.id, siteId, public_key)
  const existing = await find()
  if (existing) return existing
  const author = { accountId: account.id, subject: { ...subject } }
  return commit(author, async (transaction) => {
    // Checks the token again, because the token or its site could have been deleted since the request arrived.
    if (!(await transaction.get(gatewayTokens, token.id))) throw unauthorized()
    const current = await find()
    if (current) return current
    const id = transaction.newId()
    author.subject.device_id = id
    author.subject.gateway_id = id
    transaction.put(publicKeyItem(account.id, siteId, public_key, id))
    const addresses = await allocateAddress(transaction)
    return transaction.insert(gateways, { id, site_id: siteId, name: name ?? generateGatewayName(), ...addresses })
  })
}

/** Request body of a gateway's session start (P2). */
export const GatewaySessionFields = v.object({
  public_key: DevicePublicKey,
  version: Version,
  name: v.optional(NullableText(255)),
})
export type GatewaySessionFields = v.InferOutput<typeof GatewaySessionFields>

/** Opaque `since` value of an earlier response. A value other than a string is ignored (P4.3). */
const Since = field<string | null>((input) => ({ value: typeof input === 'string' ? input : null }), {
  type: ['string', 'null'],
})

export const HeartbeatFields = v.object({ since: v.optional(Since) })
