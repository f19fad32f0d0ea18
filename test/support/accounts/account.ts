import { randomUUID } from 'node:crypto'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import type { Event } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'

type Call = {
  params?: Record<string, string>
  body?: unknown
  /** Body to send unchanged, instead of serializing `body` as JSON. */
  rawBody?: string | Buffer
  query?: Record<string, string> | string
  token?: string | null
  headers?: Record<string, string>
  /** Cookies as API Gateway passes them, each `name=value`. */
  cookies?: string[]
  method?: string
  path?: string
  sourceIp?: string
  host?: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export type Answer = { status: number; headers: Record<string, string>; cookies: string[]; body: any; text: string }

export function toEvent({
  params,
  body,
  rawBody,
  query = '',
  token,
  headers = {},
  cookies,
  method = 'GET',
  path = '/test',
  sourceIp = '192.0.2.10',
  host,
}: Call): Event {
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: typeof query === 'string' ? query : new URLSearchParams(query).toString(),
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(content === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(content.length) }),
      'user-agent': 'tests',
      ...headers,
    },
    ...(cookies && { cookies }),
    pathParameters: params,
    body: Buffer.isBuffer(content) ? content.toString('base64') : content,
    isBase64Encoded: Buffer.isBuffer(content),
    requestContext: {
      ...(host !== undefined && { domainName: host }),
      http: { method, path, sourceIp, userAgent: 'tests', protocol: 'HTTP/1.1' },
      requestId: randomUUID(),
    },
  } as unknown as Event
}

/** Wraps a handler so that its events carry a route key, for example `PATCH /groups/{id}`. */
export const withRoute =
  (handler: Handler, routeKey: string): Handler =>
  (event, context) =>
    handler({ ...event, routeKey }, context)

/** Calls a handler as API Gateway does, and parses JSON response bodies. */
export async function call(handler: Handler, request: Call): Promise<Answer> {
  const { statusCode = 0, headers = {}, cookies = [], body = '' } = await handler(toEvent(request))
  return {
    status: statusCode,
    cookies,
    headers: headers as Record<string, string>,
    body: body && !/^text\//.test(String(headers?.['content-type'])) ? JSON.parse(body) : undefined,
    text: body,
  }
}

export type Account = Awaited<ReturnType<typeof newAccount>>

/** Creates an account with an administrator's API token. `call` sends this token by default. */
export async function newAccount(options: Record<string, unknown> = {}) {
  const result = await provision({
    account: { name: 'Test account', slug: `test-${randomUUID()}`, ...options },
    admin: { name: 'Ada', email: 'ada@example.com' },
    token_in: 'answer',
  })
  // biome-ignore lint/suspicious/noExplicitAny: the result of the provisioning function
  const { data, error } = result as any
  if (error) throw new Error(JSON.stringify(error))
  const token: string = data.api_token.token
  return {
    id: data.account.id as string,
    slug: data.account.slug as string,
    token,
    tokenId: data.api_token.id as string,
    admin: data.admin,
    apiClient: data.api_client,
    call: (handler: Handler, request: Call = {}) => call(handler, { token, ...request }),
  }
}
