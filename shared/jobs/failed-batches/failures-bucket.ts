import { serviceHost } from '../../core/aws/service-host.ts'
import { type SignedRequest, signedFetch, uriEncode } from '../../core/aws/signed-fetch.ts'
import { env } from '../../core/env.ts'
import type { FailedBatches } from './redrive.ts'

/** Lambda puts them at `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
const prefix = 'aws/lambda/'

type Call = Pick<SignedRequest, 'method' | 'query'> & { key?: string }

function ask({ method, key = '', query }: Call): Promise<Response> {
  const host = `${env.failuresBucket}.${serviceHost('s3')}`
  const path = `/${key.split('/').map(uriEncode).join('/')}`
  return signedFetch({ service: 's3', method, host, path, query })
}

/** The text of an element of a listing; `encoding-type=url` leaves no entities in keys. */
const texts = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text)

async function keys(): Promise<string[]> {
  const found: string[] = []
  for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...(token && { 'continuation-token': token }) }
    const xml = await (await ask({ method: 'GET', query })).text()
    found.push(...texts(xml, 'Key').map((key) => decodeURIComponent(key.replaceAll('+', ' '))))
    token = texts(xml, 'NextContinuationToken')[0]?.replaceAll('&amp;', '&')
  }
  // By the time at the end of the key, whatever mapping and shard it is of.
  const age = (key: string) => key.slice(key.lastIndexOf('/') + 1)
  return found.sort((a, b) => (age(a) < age(b) ? -1 : 1))
}

/** The bucket that is the failure destination of the consumers. It keeps removed versions for some days. */
export const failuresBucket = (): FailedBatches => ({
  list: keys,
  read: async (key) => (await ask({ method: 'GET', key })).text(),
  remove: async (key) => {
    await ask({ method: 'DELETE', key })
  },
})
