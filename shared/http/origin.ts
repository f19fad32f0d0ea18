import type { Origin } from '../auth/subject.ts'
import { env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { regionCodes } from '../policies/regions.ts'
import type { Event } from './exchange.ts'

const number = (text: string | undefined): number | null => {
  const value = text?.trim() ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/** `ip:port` of CloudFront-Viewer-Address; IPv6 comes without brackets there. */
const viewerIp = (address: string): string => address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')

/**
 * Where a request came from (P8). The location headers count only behind a CDN that proves itself.
 * @throws ApiError `forbidden` when that proof is missing.
 */
export function originOf(event: Event): Origin {
  const { headers, requestContext } = event
  const userAgent = headers['user-agent']?.slice(0, 255) || null
  const { cdnSecret } = env()
  if (cdnSecret === null) {
    return {
      ip: requestContext.http.sourceIp,
      ip_region: null,
      ip_city: null,
      ip_lat: null,
      ip_lon: null,
      user_agent: userAgent,
    }
  }
  if (headers['x-origin-secret'] !== cdnSecret)
    throw new ApiError('forbidden', 'This request did not come through the CDN.')
  const region = headers['cloudfront-viewer-country'] ?? ''
  return {
    ip: viewerIp(headers['cloudfront-viewer-address'] ?? '') || requestContext.http.sourceIp,
    ip_region: regionCodes.has(region) ? region : null,
    ip_city: headers['cloudfront-viewer-city'] || null,
    ip_lat: number(headers['cloudfront-viewer-latitude']),
    ip_lon: number(headers['cloudfront-viewer-longitude']),
    user_agent: userAgent,
  }
}
