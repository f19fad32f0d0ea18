import { env } from '../env.ts'
import { variable } from './variable.ts'

/** Where a service of AWS answers in a region, in whatever partition the deployment is. */
export const serviceHost = (service: string, region = variable('AWS_REGION')): string =>
  `${service}.${region}.${env.urlSuffix}`

/**
 * The same where one machine can stand in for the service: an address in the variable that AWS's own clients read, too
 * (`AWS_ENDPOINT_URL_LAMBDA`).
 */
export function servicePlace(service: string, name: string): { scheme: 'http' | 'https'; host: string } {
  const own = process.env[`AWS_ENDPOINT_URL_${name}`]
  return own ? { scheme: 'http', host: new URL(own).host } : { scheme: 'https', host: serviceHost(service) }
}
