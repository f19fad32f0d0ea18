import type { Event } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { newSource } from './sign-in.ts'

type Visit = {
  slug: string
  query?: Record<string, string>
  form?: Record<string, string>
  headers?: Record<string, string>
  sourceIp?: string
}

export type PageResponse = { status: number; headers: Record<string, string>; text: string }

/**
 * Opens a page or submits its form as a browser does through API Gateway. Each visit has a new source address, because
 * pages are rate-limited by address.
 */
export async function visitPage(
  handler: Handler,
  { slug, query = {}, form, headers = {}, sourceIp = newSource() }: Visit,
): Promise<PageResponse> {
  const method = form ? 'POST' : 'GET'
  const answer = await handler({
    rawPath: `/sign_in/${slug}`,
    rawQueryString: new URLSearchParams(query).toString(),
    pathParameters: { slug },
    headers: { ...(form && { 'content-type': 'application/x-www-form-urlencoded' }), accept: 'text/html', ...headers },
    body: form && Buffer.from(new URLSearchParams(form).toString()).toString('base64'),
    isBase64Encoded: form !== undefined,
    requestContext: { http: { method, path: `/sign_in/${slug}`, sourceIp } },
  } as unknown as Event)
  return {
    status: answer.statusCode ?? 200,
    headers: answer.headers as Record<string, string>,
    text: String(answer.body ?? ''),
  }
}
