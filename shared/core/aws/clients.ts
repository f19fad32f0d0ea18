import type { Readable } from 'node:stream'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Logger } from '@smithy/types'
import { Retries } from './retries.ts'

/** A variable that Lambda or the local runner sets. @throws Error when it is missing */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

/** An answer takes at most five seconds, so that another attempt has time. The default of the SDK is no limit. */
const handler = new NodeHttpHandler({
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  socketTimeout: 5_000,
  throwOnRequestTimeout: true,
})

/** The bytes of an answer, without the stream that the SDK pipes each through. */
const collect = (stream: Readable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.once('end', () => resolve(Buffer.concat(chunks)))
    stream.once('error', reject)
  })

/**
 * Settings of every client. They are explicit where the SDK would look for them in files at each start; credentials are those
 * that Lambda puts into the variables of a function. `AWS_ENDPOINT_URL_…` names another endpoint of a service.
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
  // Without methods: the SDK makes a copy of each answer for a logger that has them.
  logger: {} as Logger,
  streamCollector: collect,
})

/** Settings of a client that differ from those of the others. */
type Settings = Partial<Omit<ReturnType<typeof settings>, 'retryStrategy'>> & {
  retryStrategy?: Retries | undefined
  endpoint?: () => Promise<{ url: URL }>
}

type ClientClass<C> = new (settings: Settings) => C

// Endpoints are named by variables alone, which the SDK otherwise asks two files about at the first request.
process.env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS ??= 'false'

/** The clients of this process, by their classes. */
export const awsClients = new Map<unknown, unknown>()

/** The one client of a service in this process; a function's bundle has only the services whose classes it names. */
export function awsClient<C>(Client: ClientClass<C>, own?: Settings): C {
  const known = awsClients.get(Client) as C | undefined
  if (known) return known
  const client = new Client({ ...settings(), ...own })
  awsClients.set(Client, client)
  return client
}
