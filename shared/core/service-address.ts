import { env } from './env.ts'

/**
 * Returns the configured address of the service, or otherwise the API's host, which each request contains. The environment of the functions
 * cannot contain the host, because the API depends on the functions.
 */
export function serviceAddress(apiHost?: string): string {
  const address = env.baseUrl ?? (apiHost ? `https://${apiHost}` : null)
  if (address === null) throw new Error('The environment variable SERVICE_URL is missing.')
  return address
}
