import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { parseTimestamp } from '../../core/clock.ts'
import { unauthorized } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { signingKey, verifyingKey } from '../../core/secrets/signing-secret.ts'

const FlowRole = v.picklist(['initiator', 'responder'])
export type FlowRole = v.InferOutput<typeof FlowRole>

/** Claims of an ingest token (L9.2), which attribute every flow that is reported with the token. */
const IngestClaims = v.object({
  account_id: v.pipe(v.string(), v.check(isUuid)),
  policy_authorization_id: v.pipe(v.string(), v.nonEmpty()),
  role: FlowRole,
  uploads_enabled: v.literal(true),
  iat: v.number(),
  exp: v.pipe(v.number(), v.safeInteger()),
  initiator_device_id: v.string(),
  responder_device_id: v.string(),
  initiator_actor_id: v.string(),
  policy_id: v.string(),
  resource_id: v.string(),
})
export type IngestClaims = v.InferOutput<typeof IngestClaims>

const lateReportSecs = 30 * 86_400

// Implements JWTs with node:crypto, because a JOSE library would slow down the busiest function. HS256 is the only algorithm.
const ProtectedHeader = v.object({ alg: v.literal('HS256'), kid: v.string() })

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Purpose with which a separate key per account is derived from the signing secret. `kid` is the version of the secret. */
const purpose = (account: string): string => `ingest token ${account}`

const signature = (key: Buffer, signed: string): string =>
  createHmac('sha256', key).update(signed).digest().toString('base64url')

const seconds = (time: string): number => Math.floor((parseTimestamp(time) ?? 0) / 1_000_000)

type Grant = Omit<IngestClaims, 'iat' | 'exp' | 'uploads_enabled'> & {
  uploads_enabled: boolean
  authorized_at: string
  expires_at: string
}

/**
 * Signs the ingest token for one side of an authorization. The same version of the signing secret always produces the same token (P5.5(4)).
 */
export async function signIngestToken({ authorized_at, expires_at, ...grant }: Grant): Promise<string> {
  const claims = { ...grant, iat: seconds(authorized_at), exp: seconds(expires_at) + lateReportSecs }
  const { version, key } = await signingKey(purpose(grant.account_id))
  const signed = `${encode({ alg: 'HS256', kid: version, typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${signature(key, signed)}`
}

function parse<S extends v.GenericSchema>(schema: S, part: string): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    throw unauthorized()
  }
}

/** Verifies a token without reading the table, and returns the token's claims. @throws ApiError `unauthorized` (L9.4) */
export async function verifyIngestToken(token: string, nowSeconds: number): Promise<IngestClaims> {
  const [header = '', payload = '', mac = '', ...more] = token.split('.')
  const { kid } = parse(ProtectedHeader, header)
  const claims = parse(IngestClaims, payload)
  const key = more.length > 0 ? null : await verifyingKey(kid, purpose(claims.account_id))
  if (!key) throw unauthorized()
  // Compares the encoded signatures, because different base64url strings can decode to the same bytes.
  const expected = Buffer.from(signature(key, `${header}.${payload}`))
  const given = Buffer.from(mac)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw unauthorized()
  if (nowSeconds > claims.exp) throw unauthorized()
  return claims
}
