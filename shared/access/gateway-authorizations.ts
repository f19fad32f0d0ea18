import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { deleteAuthorization } from '../commit/revoke.ts'
import { uuidBytes, uuidText } from '../core/ids.ts'
import { answerBytes, answerRoom } from '../core/json/answer-size.ts'
import { logLine } from '../core/logging/log.ts'
import { decodeBytes, encodeBytes, isMadeByNewest } from '../core/secrets/cursor.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { type ClientRow, clients } from '../domain/clients/client.ts'
import { Resource, resources } from '../domain/resources/resource.ts'
import { type CountedPresence, isOnline, readPresences } from '../domain/sessions/presence.ts'
import { partition } from '../table/keys.ts'
import { getRows, storedPages } from '../table/read.ts'
import {
  type Authorization,
  type AuthorizationItem,
  hasExpired,
  isAbandoned,
  signForAuthorization,
} from './authorization.ts'

/** Authorizations that one answer lists (P4.4). */
const listedAtMost = 500

/** Content that a gateway knows: authorization id → digest. */
type Known = Map<string, string>

type Session = { accountId: string; sessionId: string }

/**
 * The authorizations of a heartbeat answer (P4): all, or the changes since an answer. `since` carries the knowledge of
 * the gateway, so that a repeated heartbeat gets the same answer and writes nothing but the lease.
 */
export async function answerSince(session: Session, inForce: InForce[], since: string | null) {
  const known = since === null ? null : await readKnown(session, since)
  const current = inForce
    .slice(0, maxDelivered)
    .map(({ authorization, content }) => ({ authorization, content, digest: digestOf(content) }))
  const news = current.filter(({ content, digest }) => known?.get(content.id) !== digest)
  const ids = new Set(current.map(({ content }) => content.id))
  const told = new Map([...(known ?? [])].filter(([id]) => ids.has(id)))
  const removed = [...(known?.keys() ?? [])].filter((id) => !ids.has(id))
  const fits = answerRoom(answerBytes(removed) + textBytes(told.size + listedAtMost))
  const listed: v.InferOutput<typeof GatewayAuthorization>[] = []
  for (const { authorization, content, digest } of news.slice(0, listedAtMost)) {
    const shown = { ...content, ingest_token: await signForAuthorization(authorization, 'responder') }
    if (!fits(shown)) break
    listed.push(shown)
    told.set(content.id, digest)
  }
  const more = news.length > listed.length
  if (!more && inForce.length > maxDelivered) {
    const [first] = inForce
    logLine('WARN', 'gateway_told_part', {
      account_id: session.accountId,
      gateway_id: first?.authorization.gateway_id,
      told: maxDelivered,
    })
  }
  return {
    since: await encodeBytes(bindingOf(session), encodeKnown(told)),
    complete: known === null,
    authorizations: known ? null : listed,
    added: known ? listed : null,
    removed: known ? removed : null,
    more,
  }
}

const bindingOf = ({ accountId, sessionId }: Session): string => `gateway since ${accountId} ${sessionId}`

/** Null for a value of another session (P4.3) or an older signing secret: the full answer has new ingest tokens. */
async function readKnown(session: Session, since: string): Promise<Known | null> {
  if (!(await isMadeByNewest(since))) return null
  const bytes = await decodeBytes(bindingOf(session), since)
  return bytes && bytes.length % entryBytes === 0 ? decodeKnown(bytes) : null
}

const digestBytes = 8
const entryBytes = 16 + digestBytes

/** The length of that many entries in an answer, as base64. */
const textBytes = (entries: number): number => Math.ceil((entries * entryBytes * 4) / 3)

const digestOf = (content: AuthorizationContent): string =>
  createHash('sha256').update(JSON.stringify(content)).digest().subarray(0, digestBytes).toString('hex')

const encodeKnown = (known: Known): Buffer =>
  Buffer.concat([...known].flatMap(([id, digest]) => [uuidBytes(id), Buffer.from(digest, 'hex')]))

function decodeKnown(bytes: Buffer): Known {
  const entries = Array.from({ length: bytes.length / entryBytes }, (_, i): [string, string] => {
    const entry = bytes.subarray(i * entryBytes, (i + 1) * entryBytes)
    return [uuidText(entry.subarray(0, 16)), entry.subarray(16).toString('hex')]
  })
  return new Map(entries)
}

export type InForce = { authorization: Authorization; content: AuthorizationContent }

/** Maximum number of authorizations per gateway, the oldest first: 1.6 MB of a request, 2.1 MB of an answer. */
export const maxDelivered = 50_000

/** Authorizations read at a time: one request to the table. */
const stretchLength = 500

/** Maximum number of deletions per heartbeat, so that the answer does not wait when a whole office goes offline. */
const deletedAtMost = 500

/**
 * The authorizations of a gateway that are in force, oldest first; stops reading beyond `atMost`. Deletes those whose
 * session has ended without a new one with the same key (P5.5(3)), and abandoned ones.
 */
export async function authorizationsInForce(
  account: string,
  gatewayId: string,
  now: number,
  atMost = maxDelivered,
): Promise<InForce[]> {
  const known: Surroundings = { devices: new Map(), targets: new Map() }
  const inForce: InForce[] = []
  const ended: AuthorizationItem[] = []
  const pk = partition(account, 'authorizations', gatewayId)
  for await (const stored of storedPages<AuthorizationItem>(pk, { atOnce: stretchLength })) {
    const items = stored.filter((item) => !hasExpired(item, now))
    ended.push(...stored.filter((item) => isAbandoned(item, now)))
    await look(account, items, known)
    for (const item of items) {
      const { row: client, presence } = known.devices.get(item.client_id) ?? {}
      const resource = known.targets.get(item.resource_id)
      const alive = presence && isOnline(presence, now) && presence.public_key === item.client_public_key
      if (client && resource && alive) inForce.push(told(item, client, presence, resource))
      else if (ended.length < deletedAtMost) ended.push(item)
    }
    if (inForce.length > atMost) break
  }
  await inParallel(ended.slice(0, deletedAtMost), 10, deleteAuthorization)
  return inForce
}

/** The clients and resources of the authorizations, each held once, because a resource can be large and shared by many. */
type Surroundings = {
  devices: Map<string, { row: ClientRow | null; presence: CountedPresence | null }>
  targets: Map<string, AuthorizationContent['resource'] | null>
}

/** Reads what is not known yet of the clients and resources of authorizations. */
async function look(account: string, items: AuthorizationItem[], { devices, targets }: Surroundings): Promise<void> {
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

function told(
  { pk: _pk, sk: _sk, kind: _kind, ttl: _ttl, indexes: _indexes, ...authorization }: AuthorizationItem,
  client: ClientRow,
  { public_key }: CountedPresence,
  resource: AuthorizationContent['resource'],
): InForce {
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

/** An authorization as a gateway sees it, without its ingest token (P4). */
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

/** An authorization as a heartbeat answers it (P4). */
export const GatewayAuthorization = v.object({ ...AuthorizationContent.entries, ingest_token: v.string() })
