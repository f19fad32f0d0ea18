import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { deleteAuthorization } from '../commit/revoke.ts'
import { uuidBytes, uuidText } from '../core/ids.ts'
import { answerBytes, fitsResponse } from '../core/json/answer-size.ts'
import { logLine } from '../core/logging/log.ts'
import { decodeBytes, encodeBytes, isMadeByNewest } from '../core/secrets/cursor.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { type ClientRow, clients } from '../domain/clients/client.ts'
import { Resource, resources } from '../domain/resources/resource.ts'
import { type CheckedPresence, isOnline, readPresences } from '../domain/sessions/presence.ts'
import { partition } from '../table/keys.ts'
import { getRows, storedPages } from '../table/read.ts'
import {
  type Authorization,
  type AuthorizationItem,
  hasExpired,
  isAbandoned,
  signForAuthorization,
} from './authorization.ts'

/** Maximum number of authorizations in a response (P4.4). */
const maxListed = 500

/** Authorizations that a gateway already has, as a map from ids to digests of the contents. */
type KnownContents = Map<string, string>

type Session = { accountId: string; sessionId: string }

/**
 * Builds the authorizations of a heartbeat's response (P4): all of them, or the changes since an earlier response. The signed `since` lists
 * the gateway's authorizations, so a repeated heartbeat is idempotent and stores only the lease.
 */
export async function answerSince(session: Session, inForce: ActiveAuthorization[], since: string | null) {
  const earlier = since === null ? null : await readKnownContents(session, since)
  const current = inForce
    .slice(0, maxDelivered)
    .map(({ authorization, content }) => ({ authorization, content, digest: digestOf(content) }))
  const changed = current.filter(({ content, digest }) => earlier?.get(content.id) !== digest)
  const ids = new Set(current.map(({ content }) => content.id))
  const delivered = new Map([...(earlier ?? [])].filter(([id]) => ids.has(id)))
  const removed = [...(earlier?.keys() ?? [])].filter((id) => !ids.has(id))
  const fits = fitsResponse(answerBytes(removed) + textBytes(delivered.size + maxListed))
  const listed: v.InferOutput<typeof GatewayAuthorization>[] = []
  for (const { authorization, content, digest } of changed.slice(0, maxListed)) {
    const shown = { ...content, ingest_token: await signForAuthorization(authorization, 'responder') }
    if (!fits(shown)) break
    listed.push(shown)
    delivered.set(content.id, digest)
  }
  const more = changed.length > listed.length
  if (!more && inForce.length > maxDelivered) {
    const [first] = inForce
    logLine('WARN', 'gateway_partially_notified', {
      account_id: session.accountId,
      gateway_id: first?.authorization.gateway_id,
      delivered: maxDelivered,
    })
  }
  return {
    since: await encodeBytes(bindingOf(session), encodeContents(delivered)),
    complete: earlier === null,
    authorizations: earlier ? null : listed,
    added: earlier ? listed : null,
    removed: earlier ? removed : null,
    more,
  }
}

const bindingOf = ({ accountId, sessionId }: Session): string => `gateway since ${accountId} ${sessionId}`

/** Decodes `since`. Null for another session (P4.3) or an older signing secret, because the gateway then needs new ingest tokens. */
async function readKnownContents(session: Session, since: string): Promise<KnownContents | null> {
  if (!(await isMadeByNewest(since))) return null
  const bytes = await decodeBytes(bindingOf(session), since)
  return bytes && bytes.length % entryBytes === 0 ? decodeContents(bytes) : null
}

const digestBytes = 8
const entryBytes = 16 + digestBytes

/** Length of this many entries in base64, in characters. */
const textBytes = (entries: number): number => Math.ceil((entries * entryBytes * 4) / 3)

const digestOf = (content: AuthorizationContent): string =>
  createHash('sha256').update(JSON.stringify(content)).digest().subarray(0, digestBytes).toString('hex')

const encodeContents = (contents: KnownContents): Buffer =>
  Buffer.concat([...contents].flatMap(([id, digest]) => [uuidBytes(id), Buffer.from(digest, 'hex')]))

function decodeContents(bytes: Buffer): KnownContents {
  const entries = Array.from({ length: bytes.length / entryBytes }, (_, i): [string, string] => {
    const entry = bytes.subarray(i * entryBytes, (i + 1) * entryBytes)
    return [uuidText(entry.subarray(0, 16)), entry.subarray(16).toString('hex')]
  })
  return new Map(entries)
}

export type ActiveAuthorization = { authorization: Authorization; content: AuthorizationContent }

/** Maximum number of authorizations delivered to a gateway, with which a request takes 1.6 MB and a response 2.1 MB. */
export const maxDelivered = 50_000

const chunkLength = 500

/** Maximum number of deletions per heartbeat, so that the response stays fast when a whole office goes offline. */
const maxDeletions = 500

/**
 * Lists a gateway's authorizations in force, oldest first, and stops after the page that exceeds `atMost`. Deletes abandoned
 * authorizations, and those whose client is not online with the authorized key (P5.5(3)).
 */
export async function authorizationsInForce(
  account: string,
  gatewayId: string,
  now: number,
  atMost = maxDelivered,
): Promise<ActiveAuthorization[]> {
  const loaded: Targets = { devices: new Map(), targets: new Map() }
  const inForce: ActiveAuthorization[] = []
  const ended: AuthorizationItem[] = []
  const pk = partition(account, 'authorizations', gatewayId)
  for await (const stored of storedPages<AuthorizationItem>(pk, { atOnce: chunkLength })) {
    const items = stored.filter((item) => !hasExpired(item, now))
    ended.push(...stored.filter((item) => isAbandoned(item, now)))
    await readSurroundings(account, items, loaded)
    for (const item of items) {
      const { row: client, presence } = loaded.devices.get(item.client_id) ?? {}
      const resource = loaded.targets.get(item.resource_id)
      const alive = presence && isOnline(presence, now) && presence.public_key === item.client_public_key
      if (client && resource && alive) inForce.push(activeAuthorization(item, client, presence, resource))
      else if (ended.length < maxDeletions) ended.push(item)
    }
    if (inForce.length > atMost) break
  }
  await inParallel(ended.slice(0, maxDeletions), 10, deleteAuthorization)
  return inForce
}

/** Clients and resources of authorizations. Each is read once, because many authorizations can share a large resource. */
type Targets = {
  devices: Map<string, { row: ClientRow | null; presence: CheckedPresence | null }>
  targets: Map<string, AuthorizationContent['resource'] | null>
}

async function readSurroundings(
  account: string,
  items: AuthorizationItem[],
  { devices, targets }: Targets,
): Promise<void> {
  const clientIds = [...new Set(items.map((item) => item.client_id))].filter((id) => !devices.has(id))
  const resourceIds = [...new Set(items.map((item) => item.resource_id))].filter((id) => !targets.has(id))
  const [presences, clientRows, resourceRows] = await Promise.all([
    readPresences(account, 'clients', clientIds),
    getRows(clients, account, clientIds),
    getRows(resources, account, resourceIds),
  ])
  clientIds.forEach((id, i) => {
    devices.set(id, { row: clientRows[i] ?? null, presence: presences[i] ?? null })
  })
  resourceIds.forEach((id, i) => {
    const row = resourceRows[i]
    targets.set(id, row ? v.parse(Resource, row) : null)
  })
}

function activeAuthorization(
  { pk: _pk, sk: _sk, kind: _kind, ttl: _ttl, indexes: _indexes, ...authorization }: AuthorizationItem,
  client: ClientRow,
  { public_key }: CheckedPresence,
  resource: AuthorizationContent['resource'],
): ActiveAuthorization {
  const { id, policy_id, flow_log_uploads_enabled, expires_at } = authorization
  const { actor_id, ipv4, ipv6 } = client
  return {
    authorization,
    content: {
      id,
      client: { id: client.id, actor_id, ipv4, ipv6, public_key },
      resource,
      policy_id,
      flow_log_uploads_enabled,
      expires_at,
    },
  }
}

/** Authorization as its gateway receives it, without the ingest token (P4). */
export const AuthorizationContent = v.object({
  id: v.string(),
  client: v.object({
    id: v.string(),
    actor_id: v.string(),
    ipv4: v.string(),
    ipv6: v.string(),
    public_key: v.string(),
  }),
  resource: Resource,
  policy_id: v.string(),
  flow_log_uploads_enabled: v.boolean(),
  expires_at: v.string(),
})
export type AuthorizationContent = v.InferOutput<typeof AuthorizationContent>

export const GatewayAuthorization = v.object({ ...AuthorizationContent.entries, ingest_token: v.string() })
