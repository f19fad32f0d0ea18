import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { clock } from '../clock.ts'
import { bareErrorName } from './error-name.ts'
import { Retries } from './retries.ts'
import { variable } from './variable.ts'

export type SignedRequest = {
  service: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  host: string
  /** `http` only on one machine. */
  scheme?: 'http' | 'https'
  /** Where the service answers; the function's own region unless it is told. */
  region?: string
  /** Encoded segment by segment. */
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

const sha256 = (body: string | Uint8Array): string => hash('sha256', body, 'hex')
const hmac = (key: string | Buffer | KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Percent-encoding as signatures want it: everything but letters, digits and `-._~`. */
export const uriEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const byName = (fields: Record<string, string>): [name: string, value: string][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))

const queryText = (query: Record<string, string>): string =>
  byName(query)
    .map(([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`)
    .join('&')

/** Every service but S3 signs the path encoded once more (Signature Version 4, canonical URI). */
const signedPath = ({ service, path }: SignedRequest): string =>
  service === 's3' ? path : path.split('/').map(uriEncode).join('/')

type Credentials = { region: string; accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** The keys of a day, which a process uses for thousands of requests: in the form in which it takes least to use them. */
const keys = new Map<string, KeyObject>()

function signingKey(secret: string, scope: string[]): KeyObject {
  const name = [secret, ...scope].join('/')
  const known = keys.get(name)
  if (known) return known
  const key = createSecretKey(scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)))
  // Those of former days and of former credentials are not needed again.
  if (keys.size > 10) keys.clear()
  keys.set(name, key)
  return key
}

/** The headers that sign a request (AWS Signature Version 4). */
export function signedHeaders(
  request: SignedRequest,
  { region, accessKeyId, secretAccessKey, sessionToken }: Credentials,
  now: Date,
): Record<string, string> {
  const { service, method, host, query = {}, headers = {}, body = '' } = request
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const date = time.slice(0, 8)
  const content = sha256(body)
  const signed: Record<string, string> = {
    ...headers,
    host,
    'x-amz-content-sha256': content,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  }
  const fields = byName(signed)
  const names = fields.map(([name]) => name).join(';')
  const canonical = [
    method,
    signedPath(request),
    queryText(query),
    ...fields.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    content,
  ].join('\n')
  const parts = [date, region, service, 'aws4_request']
  const scope = parts.join('/')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const signature = hmac(signingKey(secretAccessKey, parts), toSign).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`
  return { ...signed, authorization }
}

/** The credentials of the function's role, as Lambda keeps them in its variables. */
export const roleCredentials = (region = variable('AWS_REGION')): Credentials => ({
  region,
  accessKeyId: variable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
})

/** An answer that is no success, named as the service names it. */
class AnswerError extends Error {
  readonly $metadata: { httpStatusCode: number }

  constructor(name: string, message: string, httpStatusCode: number) {
    super(message)
    this.name = name
    this.$metadata = { httpStatusCode }
  }
}

/** Tells if an error is an answer with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof AnswerError && statuses.includes(error.$metadata.httpStatusCode)

/** The name of an error: of the header, or of a body of XML or JSON. */
function errorName(headers: Headers, said: string): string {
  const [, ofXml, ofJson] = /<Code>(\w+)<|"__type":\s*"([^"]+)"/.exec(said) ?? []
  return bareErrorName(headers.get('x-amzn-errortype') ?? ofXml ?? ofJson ?? 'AnswerError')
}

/** So much of the body of an error is kept. */
const shownCharacters = 2_000

/** Asks an AWS service that no SDK client is shipped for, with the credentials of the function's role, whatever it answers. */
export async function signedAnswer(request: SignedRequest, timeoutMs = 30_000): Promise<Response> {
  const { host: _host, ...headers } = signedHeaders(
    request,
    roleCredentials(request.region),
    new Date(clock.now() / 1_000),
  )
  const query = queryText(request.query ?? {})
  const { scheme = 'https', method, host, path, body } = request
  return fetch(`${scheme}://${host}${path}${query && `?${query}`}`, {
    method,
    headers,
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
}

const retriesOf = new Map<string, Retries>()

/**
 * The same where only a success is an answer. What may pass by itself is tried again, so the request must bear being done twice.
 * @throws Error for any other
 */
export function signedFetch(request: SignedRequest, timeoutMs?: number): Promise<Response> {
  const { service, method, host } = request
  const retries = retriesOf.get(service) ?? new Retries()
  retriesOf.set(service, retries)
  return retries.run(async () => {
    const response = await signedAnswer(request, timeoutMs)
    if (response.ok) return response
    // What it says is the cause; it is not about what was asked, so no secret comes back in it.
    const said = await response.text().catch(() => '')
    const message = `${method} ${host} answered ${response.status}: ${said.slice(0, shownCharacters)}`
    throw new AnswerError(errorName(response.headers, said), message, response.status)
  })
}
