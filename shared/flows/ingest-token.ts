import { createHmac, timingSafeEqual } from 'node:crypto'
import { serviceKey } from '../auth/service-secret.ts'
import { clock, parseTimestamp } from '../clock.ts'
import { isUuid } from '../ids.ts'

/** Reports are taken for this long after the end of their authorization (L9). */
export const lateReportMicros = 30 * 86_400_000_000

/** Version of the service secret that signs. */
const secretVersion = '1'
const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: secretVersion, typ: 'JWT' })).toString('base64url')

export type FlowRole = 'initiator' | 'responder'

type Grant = {
  accountId: string
  authorizationId: string
  role: FlowRole
  uploadsEnabled: boolean
  /** Timestamps of the authorization. */
  authorizedAt: string
  expiresAt: string
  initiatorDeviceId: string
  initiatorActorId: string
  resourceId: string
}

/** What a token says about the flows that are reported with it. */
export type IngestClaims = {
  account_id: string
  policy_authorization_id: string
  role: FlowRole
  uploads_enabled: boolean
  iat: number
  exp: number
  initiator_device_id: string
  initiator_actor_id: string
  resource_id: string
}

// HMAC by node:crypto rather than a JWT library: one pinned algorithm needs none, and it is synchronous and deterministic.
async function signature(account: string, signed: string): Promise<Buffer> {
  return createHmac('sha256', await serviceKey(`ingest token ${account}`))
    .update(signed)
    .digest()
}

const seconds = (text: string): number => Math.ceil((parseTimestamp(text) as number) / 1_000_000)

/** The ingest token of one side of an authorization (L9). The same authorization always gives the same text. */
export async function signIngestToken(grant: Grant): Promise<string> {
  const claims: IngestClaims = {
    account_id: grant.accountId,
    policy_authorization_id: grant.authorizationId,
    role: grant.role,
    uploads_enabled: grant.uploadsEnabled,
    iat: Math.floor((parseTimestamp(grant.authorizedAt) as number) / 1_000_000),
    exp: seconds(grant.expiresAt) + lateReportMicros / 1_000_000,
    initiator_device_id: grant.initiatorDeviceId,
    initiator_actor_id: grant.initiatorActorId,
    resource_id: grant.resourceId,
  }
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${(await signature(grant.accountId, signed)).toString('base64url')}`
}

function decode(part: string): Record<string, unknown> | null {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) return null
  try {
    const value = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

const uuid = (value: unknown): boolean => typeof value === 'string' && isUuid(value)

/** The claims of a token that is valid now; null for every reason to refuse it but a disabled account (L9.4). */
export async function verifyIngestToken(text: string): Promise<IngestClaims | null> {
  const [head = '', payload = '', mac = '', ...more] = text.split('.')
  const named = decode(head)
  if (more.length > 0 || named?.alg !== 'HS256' || named.kid !== secretVersion) return null
  const claims = decode(payload)
  if (!claims || !uuid(claims.account_id)) return null

  const expected = await signature(claims.account_id as string, `${head}.${payload}`)
  const actual = Buffer.from(mac, 'base64url')
  if (actual.toString('base64url') !== mac) return null
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null

  if (!Number.isInteger(claims.exp) || clock.now() > (claims.exp as number) * 1_000_000) return null
  if (claims.role !== 'initiator' && claims.role !== 'responder') return null
  if (claims.uploads_enabled !== true) return null
  const ids = [
    claims.policy_authorization_id,
    claims.initiator_device_id,
    claims.initiator_actor_id,
    claims.resource_id,
  ]
  return ids.every(uuid) ? (claims as IngestClaims) : null
}
