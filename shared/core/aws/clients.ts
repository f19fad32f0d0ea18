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

/** HTTP handler with a timeout of five seconds, which leaves time for a retry. The SDK has none by default. */
const handler = new NodeHttpHandler({
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  socketTimeout: 5_000,
  throwOnRequestTimeout: true,
})

/** Collects the bytes of a response without the stream that the SDK would pipe them through. */
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
  // A logger without methods: for one with methods, the SDK copies each response.
  logger: {} as Logger,
  streamCollector: collect,
})

/** Settings of one client that override the shared ones. */
type Settings = Partial<Omit<ReturnType<typeof settings>, 'retryStrategy'>> & {
  retryStrategy?: Retries | undefined
  endpoint?: () => Promise<{ url: URL }>
}

type ClientClass<C> = new (settings: Settings) => C

// Endpoints come from environment variables only; otherwise the SDK reads two files before the first request.
process.env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS ??= 'false'

/** SDK clients of this process, by class. */
export const awsClients = new Map<unknown, unknown>()

/** Returns the process's client of an AWS service. The caller passes the class, so that a bundle has only the services it uses. */
export function awsClient<C>(Client: ClientClass<C>, own?: Settings): C {
  const known = awsClients.get(Client) as C | undefined
  if (known) return known
  const client = new Client({ ...settings(), ...own })
  awsClients.set(Client, client)
  return client
}
