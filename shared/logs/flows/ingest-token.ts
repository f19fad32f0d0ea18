import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { parseTimestamp } from '../../core/clock.ts'
import { unauthorized } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { signingKey, verifyingKey } from '../../core/secrets/signing-secret.ts'

const FlowRole = v.picklist(['initiator', 'responder'])
export type FlowRole = v.InferOutput<typeof FlowRole>

/** The claims of an ingest token (L9.2): attribution of every flow reported with it. */
const IngestClaims = v.object({
  account_id: v.pipe(v.string(), v.check(isUuid)),
  policy_authorization_id: v.pipe(v.string(), v.nonEmpty()),
  role: FlowRole,
  uploads_enabled: v.literal(true),
  iat: v.number(),
  exp: v.pipe(v.number(), v.safeInteger()),
  initiator_device_id: v.string(),
  initiator_actor_id: v.string(),
  resource_id: v.string(),
})
export type IngestClaims = v.InferOutput<typeof IngestClaims>

const lateReportSecs = 30 * 86_400

// HS256 alone, by node:crypto: the algorithm is pinned, and a JOSE library would add weight to the hottest function.
const ProtectedHeader = v.object({ alg: v.literal('HS256'), kid: v.string() })

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Each account has a key of its own; `kid` names the version of the signing secret that it is derived from. */
const purpose = (account: string): string => `ingest token ${account}`

const signature = (key: Buffer, signed: string): string =>
  createHmac('sha256', key).update(signed).digest().toString('base64url')

const seconds = (time: string): number => Math.floor((parseTimestamp(time) ?? 0) / 1_000_000)

/** The claims but for the times, which are those of the authorization. */
type Grant = Omit<IngestClaims, 'iat' | 'exp' | 'uploads_enabled'> & {
  uploads_enabled: boolean
  authorized_at: string
  expires_at: string
}

/** The token of one side of an authorization; one version of the signing secret makes the same every time (P5.5(4)). */
export async function signIngestToken({ authorized_at, expires_at, ...grant }: Grant): Promise<string> {
  const claims = { ...grant, iat: seconds(authorized_at), exp: seconds(expires_at) + lateReportSecs }
  const { version, key } = await signingKey(purpose(grant.account_id))
  const signed = `${encode({ alg: 'HS256', kid: version, typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${signature(key, signed)}`
}

/** Parses a part of a token. @throws ApiError `unauthorized` for any other form */
function parse<S extends v.GenericSchema>(schema: S, part: string): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    throw unauthorized()
  }
}

/** The claims of a valid token; no table is read. @throws ApiError `unauthorized` (L9.4) */
export async function verifyIngestToken(token: string, nowSeconds: number): Promise<IngestClaims> {
  const [head = '', payload = '', mac = '', ...more] = token.split('.')
  const { kid } = parse(ProtectedHeader, head)
  const claims = parse(IngestClaims, payload)
  const key = more.length > 0 ? null : await verifyingKey(kid, purpose(claims.account_id))
  if (!key) throw unauthorized()
  // Compared as text: other spellings of the same bytes are not the token.
  const expected = Buffer.from(signature(key, `${head}.${payload}`))
  const given = Buffer.from(mac)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw unauthorized()
  if (nowSeconds > claims.exp) throw unauthorized()
  return claims
}
