import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseTimestamp } from '../../core/clock.ts'
import { unauthorized } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { isObject } from '../../core/json/is-object.ts'
import { provingKeyOf, writingKey } from '../../core/secrets/service-secret.ts'

export type FlowRole = 'initiator' | 'responder'

/** The claims of an ingest token (L9.2): attribution of every flow reported with it. */
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

const lateReportSecs = 30 * 86_400

// HS256 alone, by node:crypto: the algorithm is pinned, so a JOSE library would only add weight to the hottest function.
const headerOf = (kid: string): string =>
  Buffer.from(JSON.stringify({ alg: 'HS256', kid, typ: 'JWT' })).toString('base64url')

/** Each account has a key of its own; `kid` names the version of the service secret that it is derived from. */
const purpose = (kid: string, account: string): string => `ingest token ${kid} ${account}`

const signature = (key: Buffer, signed: string): string =>
  createHmac('sha256', key).update(signed).digest().toString('base64url')

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

const seconds = (time: string): number => Math.floor((parseTimestamp(time) ?? 0) / 1_000_000)

/** The token of one side of an authorization; one version of the service secret makes the same every time (P5.5(4)). */
export async function signIngestToken(grant: Grant): Promise<string> {
  const claims: IngestClaims = {
    account_id: grant.accountId,
    policy_authorization_id: grant.authorizationId,
    role: grant.role,
    uploads_enabled: grant.uploadsEnabled,
    iat: seconds(grant.authorizedAt),
    exp: seconds(grant.expiresAt) + lateReportSecs,
    initiator_device_id: grant.initiatorDeviceId,
    initiator_actor_id: grant.initiatorActorId,
    resource_id: grant.resourceId,
  }
  const { version, key } = await writingKey((kid) => purpose(kid, grant.accountId))
  const signed = `${headerOf(version)}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${signature(key, signed)}`
}

const parse = (part: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The claims of a valid token; no table is read. @throws ApiError `unauthorized` (L9.4) */
export async function verifyIngestToken(token: string, nowSeconds: number): Promise<IngestClaims> {
  const [head = '', payload = '', mac = '', ...more] = token.split('.')
  const protectedHeader = parse(head)
  const claims = parse(payload)
  if (more.length > 0 || protectedHeader?.alg !== 'HS256' || !claims) throw unauthorized()
  const { kid } = protectedHeader
  const { account_id, policy_authorization_id, role, uploads_enabled, exp } = claims
  if (typeof account_id !== 'string' || !isUuid(account_id) || typeof kid !== 'string') throw unauthorized()
  const key = await provingKeyOf(kid, purpose(kid, account_id))
  if (!key) throw unauthorized()
  // Compared as text: other spellings of the same bytes are not the token.
  const expected = Buffer.from(signature(key, `${head}.${payload}`))
  const given = Buffer.from(mac)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw unauthorized()
  const known =
    typeof policy_authorization_id === 'string' &&
    policy_authorization_id !== '' &&
    (role === 'initiator' || role === 'responder') &&
    uploads_enabled === true &&
    typeof exp === 'number' &&
    Number.isSafeInteger(exp) &&
    nowSeconds <= exp
  if (!known) throw unauthorized()
  // The others are as they were signed.
  return claims as IngestClaims
}
