import { serviceHost } from './service-host.ts'

/** Where a service answers in this region: what its variable says, as for the SDK, or its host. */
export const endpointOf = (service: string, override: string): string =>
  process.env[override] || `https://${serviceHost(service)}`
