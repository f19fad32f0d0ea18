import { env } from './env.ts'

/**
 * Where callers reach the service: what the deployment says, else the API's own host, which each request names.
 * Functions behind the API are not told it by their environment, since the API's routes are made of those functions.
 */
export function serviceAddress(apiHost?: string): string {
  const address = env.baseUrl ?? (apiHost ? `https://${apiHost}` : null)
  if (address === null) throw new Error('The environment variable SERVICE_URL is missing.')
  return address
}
