import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { deleteAuthorization } from '../commit/revoke.ts'
import { uuidBytes, uuidText } from '../core/ids.ts'
import { fitsResponse, responseBytes } from '../core/json/response-size.ts'
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

/** Digests of the authorizations that a gateway already has, by id. */
type KnownContents = Map<string, string>

type Session = { accountId: string; sessionId: string }

/**
 * Builds the authorizations in a heartbeat's response (P4): all of them, or the changes since an earlier response. The signed `since` lists
 * the gateway's authorizations, so a repeated heartbeat is idempotent and stores only the lease.
 */
export async function authorizationsSince(
  session: Session,
  activeAuthorizations: ActiveAuthorization[],
  since: string | null,
) {
  const earlierContents = since === null ? null : await readKnownContents(session, since)
  const currentAuthorizations = activeAuthorizations
    .slice(0, maxDelivered)
    .map(({ authorization, content }) => ({ authorization, content, digest: digestOf(content) }))
  const changedAuthorizations = currentAuthorizations.filter(
    ({ content, digest }) => earlierContents?.get(content.id) !== digest,
  )
  const ids = new Set(currentAuthorizations.map(({ content }) => content.id))
  const deliveredContents = new Map([...(earlierContents ?? [])].filter(([id]) => ids.has(id)))
  const removedIds = [...(earlierContents?.keys() ?? [])].filter((id) => !ids.has(id))
  const fits = fitsResponse(responseBytes(removedIds) + textBytes(deliveredContents.size + maxListed))
  const listedAuthorizations: v.InferOutput<typeof GatewayAuthorization>[] = []
  for (const { authorization, content, digest } of changedAuthorizations.slice(0, maxListed)) {
    const view = { ...content, ingest_token: await signForAuthorization(authorization, 'responder') }
    if (!fits(view)) break
    listedAuthorizations.push(view)
    deliveredContents.set(content.id, digest)
  }
  const more = changedAuthorizations.length > listedAuthorizations.length
  if (!more && activeAuthorizations.length > maxDelivered) {
    const [first] = activeAuthorizations
    logLine('WARN', 'gateway_partially_notified', {
      account_id: session.accountId,
      gateway_id: first?.authorization.gateway_id,
      delivered: maxDelivered,
    })
  }
  return {
    since: await encodeBytes(bindingOf(session), encodeContents(deliveredContents)),
    complete: earlierContents === null,
    authorizations: earlierContents ? null : listedAuthorizations,
    added: earlierContents ? listedAuthorizations : null,
    removed: earlierContents ? removedIds : null,
    more,
  }
}

const bindingOf = ({ accountId, sessionId }: Session): string => `gateway since ${accountId} ${sessionId}`

/**
 * Decodes `since`. Returns null for another session (P4.3) or an older signing secret, because the gateway then needs new ingest tokens.
 */
async function readKnownContents(session: Session, since: string): Promise<KnownContents | null> {
  if (!(await isMadeByNewest(since))) return null
  const bytes = await decodeBytes(bindingOf(session), since)
  return bytes && bytes.length % entryBytes === 0 ? decodeContents(bytes) : null
}

const digestBytes = 8
const entryBytes = 16 + digestBytes

/** Length of `entries` entries in base64, in characters. */
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

/** Maximum number of authorizations delivered to a gateway. With this number, a request has 1.6 MB and a response 2.1 MB. */
export const maxDelivered = 50_000

const chunkLength = 500

/** Maximum number of deletions per heartbeat, so that the response stays fast when a whole office goes offline. */
const maxDeletions = 500

/**
 * Lists a gateway's authorizations in force, oldest first, and stops after the page that exceeds `maxAuthorizations`. Deletes abandoned
 * authorizations, and those whose client is not online with the authorized key (P5.5(3)).
 */
export async function authorizationsInForce(
  account: string,
  gatewayId: string,
  now: number,
  maxAuthorizations = maxDelivered,
): Promise<ActiveAuthorization[]> {
  const cachedTargets: Targets = { devices: new Map(), targets: new Map() }
  const activeAuthorizations: ActiveAuthorization[] = []
  const endedItems: AuthorizationItem[] = []
  const pk = partition(account, 'authorizations', gatewayId)
  for await (const page of storedPages<AuthorizationItem>(pk, { pageLength: chunkLength })) {
    const items = page.filter((item) => !hasExpired(item, now))
    endedItems.push(...page.filter((item) => isAbandoned(item, now)))
    await readTargets(account, items, cachedTargets)
    for (const item of items) {
      const { row: client, presence } = cachedTargets.devices.get(item.client_id) ?? {}
      const resource = cachedTargets.targets.get(item.resource_id)
      const isClientOnline = presence && isOnline(presence, now) && presence.public_key === item.client_public_key
      if (client && resource && isClientOnline)
        activeAuthorizations.push(activeAuthorization(item, client, presence, resource))
      else if (endedItems.length < maxDeletions) endedItems.push(item)
    }
    if (activeAuthorizations.length > maxAuthorizations) break
  }
  await inParallel(endedItems.slice(0, maxDeletions), 10, deleteAuthorization)
  return activeAuthorizations
}

/** Clients and resources of authorizations. Each is read once, because many authorizations can share a large resource. */
type Targets = {
  devices: Map<string, { row: ClientRow | null; presence: CheckedPresence | null }>
  targets: Map<string, AuthorizationContent['resource'] | null>
}

async function readTargets(account: string, items: AuthorizationItem[], { devices, targets }: Targets): Promise<void> {
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
