import { createHash, timingSafeEqual } from 'node:crypto'
import { readSecret } from '../core/aws/secrets-manager.ts'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { logLine } from '../core/logging/log.ts'
import { acceptedWords } from '../core/secrets/origin-secret.ts'
import type { Origin } from '../core/subject.ts'
import { canonicalIp } from '../values/ip.ts'
import { regionCodes } from '../values/regions.ts'
import { type Event, type Step, sourceOf } from './exchange.ts'

const number = (text: string | undefined): number | null => {
  const value = text?.trim() ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/** Decodes the name of a city, which CloudFront percent-encodes if it is not ASCII (RFC 8187, 1.2). */
function cityName(text: string | undefined): string | null {
  if (!text) return null
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Extracts the IP address from CloudFront-Viewer-Address (`ip:port`), in which IPv6 addresses usually have no brackets. */
const viewerIp = (address: string): string | null =>
  canonicalIp(address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, ''))

/**
 * Returns the origin of a request. Behind a CDN, reads it from headers (P8).
 * @throws ApiError `forbidden` if the request bypassed the CDN
 */
export async function requestOrigin(event: Event): Promise<Origin> {
  const { headers } = event
  const source = sourceOf(event)
  const proven = await isFromCdn(headers['x-origin-secret'])
  if (proven === null) return source
  if (!proven) throw new ApiError('forbidden', 'This request did not come through the CDN.')
  const region = headers['cloudfront-viewer-country'] ?? ''
  return {
    ...source,
    ip: viewerIp(headers['cloudfront-viewer-address'] ?? '') ?? source.ip,
    ip_region: regionCodes.has(region) ? region : null,
    ip_city: cityName(headers['cloudfront-viewer-city']),
    ip_lat: number(headers['cloudfront-viewer-latitude']),
    ip_lon: number(headers['cloudfront-viewer-longitude']),
  }
}

export const readOrigin: Step = async (exchange, event) => {
  exchange.origin = await requestOrigin(event)
}

/** How long the CDN secret is cached, in milliseconds. After that time, every process uses a changed secret. */
const cacheMs = 5 * 60_000

let cached: { text: string; at: number } | undefined

/** Returns the secret that the CDN sends; null if the deployment has no CDN (P8.2). */
async function cdnSecret(): Promise<string | null> {
  const localSecret = process.env.CDN_SECRET
  if (localSecret) return localSecret
  const arn = process.env.CDN_SECRET_ARN
  if (!arn) return null
  if (cached && clock.now() / 1_000 - cached.at < cacheMs) return cached.text
  try {
    cached = { text: await readSecret(arn), at: clock.now() / 1_000 }
  } catch (error) {
    if (!cached) throw error
    logLine('ERROR', 'cdn_secret_not_read', { error: error instanceof Error ? error.name : 'not an error object' })
    cached.at = clock.now() / 1_000
  }
  return cached.text
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns whether `proof` is a valid value of the CDN secret, or null if there is no CDN. Compares in constant time. */
export async function isFromCdn(proof: string | undefined): Promise<boolean | null> {
  const secret = await cdnSecret()
  if (secret === null) return null
  const sent = digest(proof ?? '')
  const matches = acceptedWords(secret).map((word) => timingSafeEqual(digest(word), sent))
  return matches.includes(true)
}
