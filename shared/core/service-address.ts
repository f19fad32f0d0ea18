import { env } from './env.ts'

/**
 * Address of the service: as configured, else the API's own host, which each request names. The environment of the
 * functions cannot contain that host, since the API depends on them.
 */
export function serviceAddress(apiHost?: string): string {
  const address = env.baseUrl ?? (apiHost ? `https://${apiHost}` : null)
  if (address === null) throw new Error('The environment variable SERVICE_URL is missing.')
  return address
}
