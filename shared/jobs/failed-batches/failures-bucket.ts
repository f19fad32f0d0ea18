import { askBucket, decodeKey } from '../../core/aws/bucket.ts'
import { elementTexts } from '../../core/aws/element-texts.ts'
import { env } from '../../core/env.ts'
import type { FailedBatches } from './redrive.ts'

/** Lambda puts them at `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
const prefix = 'aws/lambda/'

const ask = (request: Parameters<typeof askBucket>[1]) => askBucket(String(env.failuresBucket), request)

async function keys(): Promise<string[]> {
  const found: string[] = []
  for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...(token && { 'continuation-token': token }) }
    const xml = await (await ask({ method: 'GET', query })).text()
    found.push(...elementTexts(xml, 'Key').map(decodeKey))
    token = elementTexts(xml, 'NextContinuationToken')[0]?.replaceAll('&amp;', '&')
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
