import { ApiError } from '../core/errors.ts'
import type { Origin } from '../core/subject.ts'
import { canonicalIp } from '../values/ip.ts'
import { regionCodes } from '../values/regions.ts'
import { cameThroughCdn } from './cdn-secret.ts'
import type { Event } from './exchange.ts'

const number = (text: string | undefined): number | null => {
  const value = text?.trim() ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/** CloudFront encodes the characters of a name that are not ASCII (RFC 8187, 1.2). */
function cityName(text: string | undefined): string | null {
  if (!text) return null
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `ip:port` of CloudFront-Viewer-Address; IPv6 comes without brackets there. */
const viewerIp = (address: string): string | null =>
  canonicalIp(address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, ''))

const nowhere = { ip_region: null, ip_city: null, ip_lat: null, ip_lon: null }

/**
 * The origin of a request (P8). The location headers count only behind a CDN that proves itself by `x-origin-secret`.
 * @throws ApiError `forbidden` when that proof is missing.
 */
export async function originOf({ headers, requestContext }: Event): Promise<Origin> {
  const { sourceIp } = requestContext.http
  const own = canonicalIp(sourceIp) ?? sourceIp
  const user_agent = headers['user-agent']?.slice(0, 255) || null
  const proven = await cameThroughCdn(headers['x-origin-secret'])
  if (proven === null) return { ip: own, ...nowhere, user_agent }
  if (!proven) throw new ApiError('forbidden', 'This request did not come through the CDN.')
  const region = headers['cloudfront-viewer-country'] ?? ''
  return {
    ip: viewerIp(headers['cloudfront-viewer-address'] ?? '') ?? own,
    ip_region: regionCodes.has(region) ? region : null,
    ip_city: cityName(headers['cloudfront-viewer-city']),
    ip_lat: number(headers['cloudfront-viewer-latitude']),
    ip_lon: number(headers['cloudfront-viewer-longitude']),
    user_agent,
  }
}
