import type { Place } from '../models/account-model.ts'

/** Places where devices are. The CDN reports region and position for all but the last place (P8). */
export const places: Place[] = [
  { ip: '192.0.2.17', region: 'DE', lat: 52.52, lon: 13.4 },
  { ip: '192.0.2.201', region: 'DE', lat: 48.14, lon: 11.58 },
  { ip: '203.0.113.5', region: 'PL', lat: 52.23, lon: 21.01 },
  { ip: '203.0.113.77', region: 'US', lat: 40.71, lon: -74.01 },
  { ip: '198.51.100.9', region: 'US', lat: 37.77, lon: -122.42 },
  { ip: '2001:db8:1::7', region: 'IN', lat: 19.08, lon: 72.88 },
  { ip: '2001:db8:2::7', region: 'AR', lat: -34.6, lon: -58.38 },
  // An IPv4-mapped IPv6 address, followed by a place without region and position.
  { ip: '::ffff:192.0.2.99', region: 'AT', lat: 48.21, lon: 16.37 },
  { ip: '10.9.8.7', region: null, lat: null, lon: null },
]

export const regions = [...new Set(places.flatMap(({ region }) => region ?? []))]

export const cdnSecret = 'a-secret-of-the-cdn'

export const headersFrom = ({ ip, region, lat, lon }: Place): Record<string, string> => ({
  'x-origin-secret': cdnSecret,
  'cloudfront-viewer-address': `${ip}:54321`,
  // XX is the CDN's code for an unknown region (P8.4).
  'cloudfront-viewer-country': region ?? 'XX',
  ...(lat !== null && { 'cloudfront-viewer-latitude': String(lat) }),
  ...(lon !== null && { 'cloudfront-viewer-longitude': String(lon) }),
})
