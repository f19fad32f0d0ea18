import { lookup } from 'node:dns'
import type { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { parseIp } from '../../values/ip.ts'
import { isPublicAddress } from './public-address.ts'

const timeBudgetMs = 5_000
const maxBytes = 1_000_000
const wellKnown = '/.well-known/openid-configuration'

/** The message under `discovery_document_uri` (A25.2(3)). */
export type DiscoveryFailure = 'is invalid' | 'could not be read'

class Refused extends Error {}

type Transport = { request: typeof request; isAllowed: (address: string) => boolean }

/** Tests and connects to the very same address, so that a name cannot point elsewhere in between. */
const guardedLookup =
  (isAllowed: Transport['isAllowed']): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (!addresses.every(({ address }) => isAllowed(address))) return callback(new Refused(), '')
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return first ? callback(null, first.address, first.family) : callback(new Error('no address'), '')
    })
  }

function fetchText(uri: string, { request: send, isAllowed }: Transport): Promise<string> {
  const host = new URL(uri).hostname.replace(/^\[|\]$/g, '')
  // A literal address is not looked up.
  if (parseIp(host) && !isAllowed(host)) return Promise.reject(new Refused())
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeBudgetMs)
    const headers = { accept: 'application/json', 'user-agent': 'network-access-administration' }
    const outgoing = send(uri, { signal, headers, lookup: guardedLookup(isAllowed), agent: false }, (answer) => {
      // A redirect could lead to an address that was never tested.
      if (answer.statusCode !== 200) {
        answer.destroy()
        return reject(new Error(`status ${answer.statusCode}`))
      }
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) answer.destroy(new Error('too large'))
        else chunks.push(chunk)
      })
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()))
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const isHttps = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'

/** The issuer has no query or fragment, and the document stands at its address (OpenID Connect Discovery 1.0, 3 and 4.3). */
function issuerIn(text: string, uri: string): string | null {
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = JSON.parse(text)
  const complete = [issuer, authorization_endpoint, token_endpoint, jwks_uri].every(isHttps) && !/[?#]/.test(issuer)
  return complete && `${issuer.replace(/\/$/, '')}${wellKnown}` === uri ? issuer : null
}

/** Reads the issuer from an OpenID Connect discovery document. Tests replace `read`. */
export const discovery = {
  async read(
    uri: string,
    // Node's HTTP client is loaded with the first question, not with every start.
    transport: Transport = { request: process.getBuiltinModule('node:https').request, isAllowed: isPublicAddress },
  ): Promise<{ issuer: string } | { failure: DiscoveryFailure }> {
    try {
      const issuer = issuerIn(await fetchText(uri, transport), uri)
      return issuer === null ? { failure: 'could not be read' } : { issuer }
    } catch (error) {
      return { failure: error instanceof Refused ? 'is invalid' : 'could not be read' }
    }
  },
}
