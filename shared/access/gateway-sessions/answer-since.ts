import { createHash } from 'node:crypto'
import { ApiError } from '../../core/errors.ts'
import { uuidBytes, uuidText } from '../../core/ids.ts'
import { decodeCursor, encodeCursor } from '../../core/pagination.ts'
import { signForAuthorization } from '../authorizations/sign-for-authorization.ts'
import type { InForce } from './authorizations-in-force.ts'
import type { AuthorizationContent } from './gateway-authorization.ts'

/** How many authorizations one answer lists (P4.4). */
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
  const current = inForce.map(({ item, content }) => ({ item, content, digest: digestOf(content) }))
  const news = current.filter(({ content, digest }) => known?.get(content.id) !== digest)
  const listed = news.slice(0, listedAtMost)
  const ids = new Set(current.map(({ content }) => content.id))
  const kept = [...(known ?? [])].filter(([id]) => ids.has(id))
  const removed = [...(known?.keys() ?? [])].filter((id) => !ids.has(id))
  const told = new Map([...kept, ...listed.map(({ content, digest }): [string, string] => [content.id, digest])])
  const [next, authorizations] = await Promise.all([
    encodeCursor(bindingOf(session), encodeKnown(told)),
    Promise.all(
      listed.map(async ({ item, content }) => ({
        ...content,
        ingest_token: await signForAuthorization(item, 'responder'),
      })),
    ),
  ])
  return {
    since: next,
    complete: known === null,
    authorizations: known ? null : authorizations,
    added: known ? authorizations : null,
    removed: known ? removed : null,
    more: news.length > listed.length,
  }
}

const bindingOf = ({ accountId, sessionId }: Session): string => `gateway heartbeat ${accountId} ${sessionId}`

/** Null for a value that this session was not given (P4.3). */
async function readKnown(session: Session, since: string): Promise<Known | null> {
  try {
    return decodeKnown(String(await decodeCursor(bindingOf(session), since)))
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

const digestBytes = 8
const entryBytes = 16 + digestBytes

const digestOf = (content: AuthorizationContent): string =>
  createHash('sha256').update(JSON.stringify(content)).digest().subarray(0, digestBytes).toString('hex')

const encodeKnown = (known: Known): string =>
  Buffer.concat([...known].flatMap(([id, digest]) => [uuidBytes(id), Buffer.from(digest, 'hex')])).toString('base64')

function decodeKnown(text: string): Known {
  const bytes = Buffer.from(text, 'base64')
  const entries = Array.from({ length: bytes.length / entryBytes }, (_, i): [string, string] => {
    const entry = bytes.subarray(i * entryBytes, (i + 1) * entryBytes)
    return [uuidText(entry.subarray(0, 16)), entry.subarray(16).toString('hex')]
  })
  return new Map(entries)
}
