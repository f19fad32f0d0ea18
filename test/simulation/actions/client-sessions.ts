import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as listSessionResources } from '#functions/api/client-sessions/list-session-resources.ts'
import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { commit } from '#shared/commit/commit.ts'
import { timestamp } from '#shared/core/clock.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import type { Actor, Client, Token } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import { leaseEnd } from './lease-end.ts'

/** Creates a client token. A person signs in through an enabled provider. Returns null if the actor cannot sign in. */
export async function signIn(account: SimulatedAccount, actor: Actor): Promise<Token | null> {
  const { model, random } = account
  if (actor.disabled || actor.type === 'api_client') return null
  const enabled = [...model.providers].flatMap(([id, on]) => (on ? [id] : []))
  const person = actor.type !== 'service_account'
  if (person && enabled.length === 0) return null
  const provider = person ? random.pick(enabled) : null
  // Makes the token expire on a whole second, because time jumps target whole seconds.
  const expiresAt = (account.clock.second + random.pick([1, 8, 30, 200, 800]) * 3600) * 1_000_000
  const { id, token } = await commit({ accountId: account.id, subject: null }, (transaction) =>
    mintClientToken(transaction, actor.id, { expires_at: timestamp(expiresAt), auth_provider_id: provider }),
  )
  const minted = { id, secret: token, actor: actor.id, provider, expiresAt }
  model.tokens.set(id, minted)
  return minted
}

export const tokensOf = (account: SimulatedAccount, actorId: string): Token[] =>
  [...account.model.tokens.values()].filter(({ actor }) => actor === actorId)

export const newClient = (
  { random }: SimulatedAccount,
  fields: Pick<Client, 'id' | 'actor' | 'installation' | 'ipv4' | 'ipv6'>,
): Client => ({
  ...fields,
  verified: false,
  key: random.bytes(32).toString('base64'),
  place: random.pick(places),
  version: random.pick(['1.4.0', '1.4.0', '1.5.2', '1.3.9', '2.0.1', 'nightly']),
  session: null,
  seen: null,
  tested: null,
})

/** Registers a new client by starting its first session (P3.1). */
export async function registerClient(account: SimulatedAccount, actor: Actor): Promise<void> {
  const token = tokensOf(account, actor.id)[0] ?? (await signIn(account, actor))
  if (!token) return
  const client = newClient(account, {
    id: '',
    actor: actor.id,
    installation: `installation ${account.clock.now}`,
    ipv4: '',
    ipv6: '',
  })
  const session = { svc_id: client.installation, public_key: client.key, version: client.version }
  const answer = await account.from(client.place, token.secret, startClientSession, {
    method: 'POST',
    body: { session },
  })
  agree('a new client starts a session', answer.status, 201)
  const { id, ipv4, ipv6 } = answer.body.data.client
  account.model.clients.set(id, { ...client, id, ipv4, ipv6 })
  await connectClient(account, account.model.clients.get(id) as Client)
}

/** Starts a session for the client with one of its actor's tokens. Returns false if the actor cannot sign in. */
export async function connectClient(account: SimulatedAccount, client: Client): Promise<boolean> {
  const { model, random, clock } = account
  const actor = model.actors.get(client.actor) as Actor
  const tokens = tokensOf(account, actor.id)
  const token = tokens.length > 0 && random.chance(0.9) ? random.pick(tokens) : await signIn(account, actor)
  if (!token) return false
  if (random.chance(0.05)) client.key = random.bytes(32).toString('base64')
  const before = clock.now
  const session = { svc_id: client.installation, public_key: client.key, version: client.version }
  const answer = await account.from(client.place, token.secret, startClientSession, {
    method: 'POST',
    body: { session },
  })
  agree('a client starts a session', [answer.status, answer.body.data?.client?.id], [201, client.id])
  const { id, expires_at, resources } = answer.body.data
  const sameKey = client.session?.key === client.key
  if (!sameKey) model.endSession(client)
  client.session = {
    id,
    token: token.id,
    key: client.key,
    version: client.version,
    leaseEnd: leaseEnd(account, before, expires_at, { tokenEnd: token.expiresAt }),
    connection: null,
  }
  client.seen = client.place
  model.now = clock.now
  model.reevaluate(client, token)
  agree(
    'the resources of a new session',
    resources.map((one: { id: string }) => one.id),
    account.access.connectable(client, token),
  )
  return true
}

/** Sends a client's heartbeat, and compares the lease and the returned resources with the model (P3.2). */
export async function clientHeartbeat(account: SimulatedAccount, client: Client): Promise<void> {
  const { model, clock } = account
  const { session } = client
  const token = session && model.tokens.get(session.token)
  if (!session || !token) return
  const before = clock.now
  const request = { method: 'PUT', params: { id: session.id } }
  const answer = await account.from(client.place, token.secret, renewClientSession, request)
  agree('a live client session is renewed', answer.status, 200)
  session.leaseEnd = leaseEnd(account, before, answer.body.data.expires_at, {
    tokenEnd: token.expiresAt,
    isConnectedClient: session.connection !== null,
  })
  account.channel.heartbeat(client.id)
  client.seen = client.place
  model.now = clock.now
  model.reevaluate(client, token)
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
  const { resources, resources_cursor } = answer.body.data
  agree('the resources of a client heartbeat', idsOf(resources), account.access.connectable(client, token))
  agree('where they go on', resources_cursor, null)
  const listed = await account.from(client.place, token.secret, listSessionResources, { params: { id: session.id } })
  agree('the resources of a client session', idsOf(listed.body.data), idsOf(resources))
}

export async function disconnectClient(account: SimulatedAccount, client: Client): Promise<void> {
  const token = client.session && account.model.tokens.get(client.session.token)
  if (!client.session || !token) return
  const request = { method: 'DELETE', params: { id: client.session.id } }
  agree(
    'a client session is ended',
    (await account.from(client.place, token.secret, endClientSession, request)).status,
    200,
  )
  account.model.endSession(client)
}
