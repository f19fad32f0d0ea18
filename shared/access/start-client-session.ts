import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { CallerOf } from '../auth/caller.ts'
import { commit } from '../commit/commit.ts'
import { endDeviceSession, revoke } from '../commit/revoke.ts'
import { clock } from '../core/clock.ts'
import { ApiError, unauthorized } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import type { Subject } from '../core/subject.ts'
import { limitOf, usageOf } from '../domain/accounts/check-limit.ts'
import { readCounts } from '../domain/accounts/store.ts'
import { isPerson } from '../domain/actors/actor.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import {
  type ClientRow,
  clients,
  type DeviceDescription,
  emptyDescription,
  generateClientName,
  installation,
} from '../domain/clients/client.ts'
import { renderClient } from '../domain/clients/store.ts'
import { allocateAddress } from '../domain/devices/allocate-address.ts'
import { fingerprint } from '../domain/policies/conditions/conditions.ts'
import { DevicePublicKey, leaseUnder, renderLease, Version } from '../domain/sessions/lease.ts'
import {
  type ClientPresence,
  findPresence,
  isOnline,
  type Presence,
  presenceItem,
  presenceKey,
  toLastSeen,
} from '../domain/sessions/presence.ts'
import { connectionOf } from '../live/connection.ts'
import { endSessionConnection } from '../live/send-message.ts'
import { sessionLogItems } from '../logs/entries/log-store.ts'
import { entityKey } from '../table/keys.ts'
import { findUnique, getRow } from '../table/read.ts'
import { check, put, putIf, remove, untilDone, writeTogether } from '../table/write-together.ts'
import type { Draft } from '../values/draft.ts'
import { isUnexpired } from '../values/expiry.ts'
import { NullableText, Text } from '../values/fields.ts'
import { clientSessionKey, clientSessionPointer, noteConditionContext } from './client-presence.ts'
import { resourcesCursor } from './client-session.ts'
import { connectableResources } from './decide.ts'

type StartedSession = { client: ClientRow; before: ClientPresence | undefined; presence: ClientPresence; now: number }

/** Starts a client session. An online session of the same installation is replaced (P3.1). */
export async function startClientSession(
  caller: CallerOf<'client'>,
  subject: Subject,
  draft: () => Draft<ClientSessionFields>,
) {
  const { account, actor } = caller
  await checkActorLimit(caller)
  const { public_key, version, ...registration } = draft().done()
  const { client, before, presence, now, reachable } = await untilDone(async () => {
    const registeredClient = await registerClient(caller, subject, registration)
    // Reads the resources before the session is stored, so that a failed read does not end the former session.
    const reachable = await connectableResources(account, actor, { client: registeredClient, subject }, clock.now())
    const startedSession = await store(caller, { ...subject, device_id: registeredClient.id }, registeredClient, {
      public_key,
      version,
    })
    return startedSession === 'conflict' ? startedSession : { ...startedSession, reachable }
  })
  await endFormerSession(account.id, client.id, before, presence, now)
  const connection = before && connectionOf(account.id, 'clients', client.id, before)
  if (connection) await endSessionConnection(connection, 'replaced')
  await noteConditionContext(account.id, { client, presence }, { client, subject }, now)
  return {
    data: {
      id: presence.session_id,
      client: renderClient(client, presence, now),
      resources: reachable.resources,
      resources_cursor: await resourcesCursor(account.id, presence.session_id, reachable),
      ...renderLease('clients', presence.lease_expires_at),
    },
  }
}

/** Stores the session and its log entry if the client and the token still exist. @throws ApiError `unauthorized` */
async function store(
  { account, token }: CallerOf<'client'>,
  subject: Subject,
  client: ClientRow,
  fields: Pick<Presence, 'public_key'> & { version: string },
): Promise<StartedSession | 'conflict'> {
  const key = presenceKey(account.id, 'clients', client.id)
  const before = await findPresence(account.id, 'clients', client.id)
  const now = clock.now()
  const presence: ClientPresence = {
    session_id: uuidV7(now),
    lease_expires_at: leaseUnder(token, now),
    token_id: token.id,
    public_key: fields.public_key,
    // Keeps the fingerprint of the condition context in which the client's authorizations were last evaluated (P3.2).
    tested: before?.tested ?? fingerprint({ client, subject }),
    ...toLastSeen(subject, fields.version, now),
  }
  const outcome = await writeTogether([
    putIf(presenceItem(account.id, 'clients', client.id, presence), before ? { session_id: before.session_id } : null),
    put(clientSessionPointer(account.id, token, presence.session_id, client.id)),
    ...sessionLogItems(account.id, { context: 'client', subject, at: now }).map(put),
    ...(before ? [remove(clientSessionKey(account.id, before.token_id, before.session_id))] : []),
    check(entityKey(account.id, clients.name, client.id)),
  ])
  // Checks the token outside the transaction, in which devices that share the token would conflict. If the token is deleted later, its
  // deletion ends the session.
  if (await getRow(clientTokens, account.id, token.id)) {
    return outcome === 'done' ? { client, before, presence, now } : 'conflict'
  }
  if (outcome === 'done') await endDeviceSession({ ...key, session_id: presence.session_id })
  throw unauthorized()
}

/** True if the former session's token is still valid. A session ends with its token (P1.7). */
async function hasToken(account: string, before: ClientPresence, presence: ClientPresence, now: number) {
  if (before.token_id === presence.token_id) return true
  const token = await getRow(clientTokens, account, before.token_id)
  return token !== null && isUnexpired(token, now)
}

/** Revokes the client's authorizations if the former session had already ended or had another key (P1.8, P5.5(3)). */
async function endFormerSession(
  account: string,
  clientId: string,
  before: ClientPresence | undefined,
  presence: ClientPresence,
  now: number,
): Promise<void> {
  if (!before) return
  const isReplacement = isOnline(before, now) && (await hasToken(account, before, presence, now))
  if (before.public_key !== presence.public_key || !isReplacement) await revoke(account, { by: 'client', id: clientId })
}

type Registration = Partial<DeviceDescription> & { svc_id: string }

/** Finds or creates the client of an installation, and updates the device's description (P3.1(1)). */
async function registerClient(
  { account, actor, token }: CallerOf<'client'>,
  subject: Subject,
  { svc_id, ...description }: Registration,
): Promise<ClientRow> {
  const find = () => findUnique(clients, account.id, 'clients.installation', installation(actor.id, svc_id))
  const existing = await find()
  if (existing && isDeepStrictEqual({ ...existing, ...description }, existing)) return existing
  const author = { accountId: account.id, subject: { ...subject } }
  return commit(author, async (transaction) => {
    // Checks the token again, because the token or its actor could have been deleted since the request arrived.
    if (!(await transaction.get(clientTokens, token.id))) throw unauthorized()
    const current = await find()
    const id = current?.id ?? transaction.newId()
    author.subject.device_id = id
    if (current) return transaction.update(clients, current, description)
    return transaction.insert(clients, {
      id,
      actor_id: actor.id,
      name: generateClientName(),
      svc_id,
      verified_at: null,
      ...(await allocateAddress(transaction)),
      ...emptyDescription,
      ...description,
    })
  })
}

/** Checks the limit of actors of this kind (P3.1(2)). @throws ApiError `limits_exceeded` while the account has too many */
async function checkActorLimit({ account, actor }: CallerOf<'client'>): Promise<void> {
  const limit = isPerson(actor.type) ? 'users' : 'service_accounts'
  const total = limitOf(account, limit)
  if (total === null) return
  const counts = await readCounts(account.id)
  if (usageOf((tally) => counts[tally] ?? 0, limit) > total) {
    throw new ApiError('limits_exceeded', `The account exceeds its limit of ${limit}.`)
  }
}

const DescriptionText = v.optional(NullableText(255))

/** Request body of a client's session start (P3.1). */
export const ClientSessionFields = v.object({
  svc_id: Text(255),
  public_key: DevicePublicKey,
  version: Version,
  hostname: DescriptionText,
  device_serial: DescriptionText,
  device_uuid: DescriptionText,
  identifier_for_vendor: DescriptionText,
  push_installation_id: DescriptionText,
  os_name: DescriptionText,
  os_version: DescriptionText,
})
export type ClientSessionFields = v.InferOutput<typeof ClientSessionFields>
