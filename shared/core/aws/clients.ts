import type { Readable } from 'node:stream'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Logger } from '@smithy/types'
import { Retries } from './retries.ts'

/** Reads an environment variable that Lambda or the local runner sets. @throws Error when it is missing */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

/** HTTP handler with timeouts of at most five seconds, which leave time for a retry. The SDK has no default timeout. */
const handler = new NodeHttpHandler({
  connectionTimeout: 1_000,
  // Opens any number of connections to the local engines. The connection timeout includes the wait for a free socket, which the default of
  // 50 sockets would exceed when one process serves hundreds of requests at once.
  httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
  requestTimeout: 5_000,
  socketTimeout: 5_000,
  throwOnRequestTimeout: true,
})

/** Collects the bytes of a response directly. The SDK would first pipe them through another stream. */
const collect = (stream: Readable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.once('end', () => resolve(Buffer.concat(chunks)))
    stream.once('error', reject)
  })

/**
 * Settings of every client. Explicit values keep the SDK from reading configuration files at each start. Credentials come from Lambda's
 * environment variables. `AWS_ENDPOINT_URL_…` overrides the endpoint of a service.
 */
const settings = () => ({
  region: variable('AWS_REGION'),
  credentials: {
    accessKeyId: variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: process.env.AWS_SESSION_TOKEN,
  },
  useFipsEndpoint: process.env.AWS_USE_FIPS_ENDPOINT === 'true',
  useDualstackEndpoint: process.env.AWS_USE_DUALSTACK_ENDPOINT === 'true',
  ignoreConfiguredEndpointUrls: !Object.keys(process.env).some((name) => name.startsWith('AWS_ENDPOINT_URL')),
  accountIdEndpointMode: 'disabled' as const,
  authSchemePreference: async () => [],
  endpointDiscoveryEnabledProvider: async () => undefined,
  userAgentAppId: async () => undefined,
  maxAttempts: 1_000,
  retryMode: 'standard',
  retryStrategy: new Retries(),
  requestHandler: handler,
  cacheMiddleware: true,
  // Passes a logger without methods, because the SDK copies every response for a logger with methods.
  logger: {} as Logger,
  streamCollector: collect,
})

type Settings = Partial<Omit<ReturnType<typeof settings>, 'retryStrategy'>> & {
  retryStrategy?: Retries | undefined
  endpoint?: () => Promise<{ url: URL }>
}

type ClientClass<C> = new (settings: Settings) => C

// Takes endpoints only from environment variables. By default, the SDK reads two files before the first request.
process.env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS ??= 'false'

export const awsClients = new Map<unknown, unknown>()

/** Returns the process's client of an AWS service. The caller passes the class, so that a bundle contains only the services in use. */
export function awsClient<C>(Client: ClientClass<C>, ownSettings?: Settings): C {
  const existing = awsClients.get(Client) as C | undefined
  if (existing) return existing
  const client = new Client({ ...settings(), ...ownSettings })
  awsClients.set(Client, client)
  return client
}
