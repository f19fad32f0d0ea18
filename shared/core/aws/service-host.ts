import { env } from '../env.ts'

/** Where a service of AWS answers in a region, in whatever partition the deployment is. */
export const serviceHost = (service: string, region = process.env.AWS_REGION): string =>
  `${service}.${region}.${env.urlSuffix}`
