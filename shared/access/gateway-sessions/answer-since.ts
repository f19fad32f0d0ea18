import { createHash } from 'node:crypto'
import type * as v from 'valibot'
import { uuidBytes, uuidText } from '../../core/ids.ts'
import { answerBytes, answerRoom } from '../../core/json/answer-size.ts'
import { logLine } from '../../core/logging/log.ts'
import { decodeBytes, encodeBytes, isMadeByNewest } from '../../core/pagination.ts'
import { signForAuthorization } from '../authorizations/sign-for-authorization.ts'
import { type InForce, toldAtMost } from './authorizations-in-force.ts'
import type { AuthorizationContent, GatewayAuthorization } from './gateway-authorization.ts'

/** Authorizations that one answer lists (P4.4). */
const listedAtMost = 500

/** What the gateway has been told: authorization id → digest of its content. */
type Known = Map<string, string>

type Session = { accountId: string; sessionId: string }

/**
 * The part of a heartbeat's answer that says what is in force (P4): everything, or what changed since an answer.
 * `since` carries what the gateway knows instead of naming a stored copy: repeating a heartbeat whose answer was lost
 * answers the same again, and a heartbeat writes nothing but the lease.
 */
export async function answerSince(session: Session, inForce: InForce[], since: string | null) {
  const known = since === null ? null : await readKnown(session, since)
  const current = inForce
    .slice(0, toldAtMost)
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
  if (!more) warnOfUntold(session, inForce)
  return {
    since: await encodeBytes(bindingOf(session), encodeKnown(told)),
    complete: known === null,
    authorizations: known ? null : listed,
    added: known ? listed : null,
    removed: known ? removed : null,
    more,
  }
}

function warnOfUntold({ accountId }: Session, inForce: InForce[]): void {
  if (inForce.length <= toldAtMost) return
  logLine('WARN', 'gateway_told_part', {
    account_id: accountId,
    gateway_id: inForce[0]?.authorization.gateway_id,
    told: toldAtMost,
  })
}

const bindingOf = ({ accountId, sessionId }: Session): string => `gateway since ${accountId} ${sessionId}`

/**
 * Null for a value that this session was not given (P4.3), and for one that an older version of the service secret has made:
 * the answer in full brings ingest tokens of the new one.
 */
async function readKnown(session: Session, since: string): Promise<Known | null> {
  if (!(await isMadeByNewest(since))) return null
  const bytes = (await decodeBytes(bindingOf(session), since)) ?? (await decodeFormer(session, since))
  return bytes && bytes.length % entryBytes === 0 ? decodeKnown(bytes) : null
}

/** Reads a `since` of the former format, base64 in JSON, which sessions that began under it still send. */
async function decodeFormer({ accountId, sessionId }: Session, since: string): Promise<Buffer | null> {
  const json = await decodeBytes(`gateway heartbeat ${accountId} ${sessionId}`, since)
  return json && Buffer.from(String(JSON.parse(json.toString())), 'base64')
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
