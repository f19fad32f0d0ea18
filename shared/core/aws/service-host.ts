import { env } from '../env.ts'
import { variable } from './variable.ts'

/** Where a service of AWS answers in a region, in whatever partition the deployment is. */
export const serviceHost = (service: string, region = variable('AWS_REGION')): string =>
  `${service}.${region}.${env.urlSuffix}`
