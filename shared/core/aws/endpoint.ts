import { variable } from './variable.ts'

/** The domain of the services of this partition, for example of China; the template tells it. */
const domain = (): string => process.env.URL_SUFFIX || 'amazonaws.com'

/** Where a service answers in this region: what its variable says, as for the SDK, or its host. */
export const endpointOf = (service: string, override: string): string =>
  process.env[override] || `https://${service}.${variable('AWS_REGION')}.${domain()}`
