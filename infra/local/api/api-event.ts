import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

export type HttpRequest = {
  method: string
  /** Path and query as received, still encoded. */
  target: string
  headers: IncomingHttpHeaders
  remoteAddress: string
  body: Buffer
}

export type HttpResponse = { status: number; headers: Record<string, string | string[]>; body: Buffer }

const textual = /^(text\/|application\/(json|javascript|xml)\b|application\/[^;\s]+\+(json|xml)\b)/i

/** Encodes a body as an HTTP API does: text types as a string, other types and invalid UTF-8 as base64. */
function encodeBody({ headers, body }: HttpRequest): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false }
  if (!headers['content-encoding'] && textual.test(headers['content-type'] ?? '')) {
    try {
      return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), isBase64Encoded: false }
    } catch {
      // Falls back to base64, because the body is not UTF-8 despite its content type.
    }
  }
  return { body: body.toString('base64'), isBase64Encoded: true }
}

function parseQuery(query: string): Record<string, string> {
  const values = new URLSearchParams(query)
  return Object.fromEntries([...values.keys()].map((name) => [name, values.getAll(name).join()]))
}

function toEventHeaders({ headers: { cookie: _, ...headers }, remoteAddress }: HttpRequest): Record<string, string> {
  const headerEntries = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const forwardedFor = [headers['x-forwarded-for'], remoteAddress].filter(Boolean).join(', ')
  return { ...Object.fromEntries(headerEntries), 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': 'http' }
}

type MatchedRoute = { key: string; parameters: Record<string, string>; rawPath: string }

/** Builds the event of a request as API Gateway does (payload format 2.0). */
export function toEvent(
  request: HttpRequest,
  { key: routeKey, parameters: pathParameters, rawPath }: MatchedRoute,
): APIGatewayProxyEventV2 {
  const mark = request.target.indexOf('?')
  const rawQueryString = mark < 0 ? '' : request.target.slice(mark + 1)
  const cookies = request.headers.cookie?.split(/;\s*/).filter(Boolean)
  const now = new Date()
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookies && { cookies }),
    headers: toEventHeaders(request),
    ...(rawQueryString && { queryStringParameters: parseQuery(rawQueryString) }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: request.remoteAddress,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...encodeBody(request),
  }
}

/** Builds a response that API Gateway itself sends, without invoking a function. */
export const gatewayResponse = (status: number, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
})

/** Converts a function's result to a response as API Gateway does. A result without a status code becomes a JSON body. */
export function fromResult(result: unknown): HttpResponse {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const text = typeof result === 'string' ? result : JSON.stringify(result ?? null)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as {
    statusCode: unknown
    headers?: Record<string, string | number | boolean>
    cookies?: string[]
    body?: string
    isBase64Encoded?: boolean
  }
  const status = Number(statusCode)
  if (!Number.isInteger(status) || status < 100 || status > 599 || (body !== undefined && typeof body !== 'string')) {
    return gatewayResponse(500, 'Internal Server Error')
  }
  const headerEntries = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  return {
    status,
    headers: {
      ...(body ? { 'content-type': 'text/plain;charset=UTF-8' } : {}),
      ...Object.fromEntries(headerEntries),
      ...(cookies?.length ? { 'set-cookie': cookies } : {}),
    },
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  }
}
