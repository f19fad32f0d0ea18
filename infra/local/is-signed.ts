import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { roleCredentials, type SignedRequest, signedHeaders } from '#shared/core/aws/signed-fetch.ts'
import { clock } from '#shared/core/clock.ts'

/** A signature counts for as long as on AWS. */
const validMs = 5 * 60_000

/** What a signature adds by itself. */
const own = new Set(['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])

/** `20261122T150000Z`, as signatures write it. */
function timeOf(text: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  const [year = Number.NaN, month = 0, ...rest] = parts.map(Number)
  return Date.UTC(year, month - 1, ...rest)
}

/**
 * Whether a request was signed for this host with the credentials of this process (AWS Signature Version 4): as those of its
 * functions are, and those of other programs and of pages in a browser are not.
 */
export function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer, host: string): boolean {
  const form = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request,SignedHeaders=([^,]+),/
  const [authorization, date] = [headers.authorization ?? '', String(headers['x-amz-date'])]
  const [, region, service, names] = form.exec(authorization) ?? []
  const time = timeOf(date)
  if (!region || !service || !names || !(Math.abs(time - clock.now() / 1_000) <= validMs)) return false
  const [path = '', query = ''] = url.split('?', 2)
  const signed = names.split(';').filter((name) => !own.has(name))
  const request: SignedRequest = {
    service,
    method: method as SignedRequest['method'],
    host,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
    body: new Uint8Array(body),
  }
  const expected = signedHeaders(request, roleCredentials(region), new Date(time)).authorization
  const digest = (text: string | undefined) => hash('sha256', text ?? '', 'buffer')
  return timingSafeEqual(digest(authorization), digest(expected))
}
