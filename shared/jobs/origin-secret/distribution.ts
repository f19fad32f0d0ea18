import { type SignedRequest, signedFetch } from '../../core/aws/signed-fetch.ts'

/** A distribution of CloudFront, as far as the secret header of its origins goes. */
export type Distribution = {
  /** Sends this from now on, in the header that it proves itself with. */
  send(word: string): Promise<void>
  /** The word that it is configured to send; `everywhere` once no edge sends an older one. */
  sends(): Promise<{ word: string; everywhere: boolean }>
}

const header = /(<HeaderName>x-origin-secret<\/HeaderName>\s*<HeaderValue>)([^<]*)(<\/HeaderValue>)/gi

function wordOf(config: string): string {
  const [word, ...others] = new Set([...config.matchAll(header)].map(([, , found]) => found))
  // The API and the live channel are two origins, which are sent the same.
  if (word === undefined || others.length > 0) throw new Error('The distribution does not send one x-origin-secret.')
  return word
}

/** CloudFront is one for all regions of its partition and signs in the first of them. */
const ask = (request: Pick<SignedRequest, 'method' | 'path' | 'headers' | 'body'>): Promise<Response> =>
  signedFetch({ service: 'cloudfront', region: 'us-east-1', host: 'cloudfront.amazonaws.com', ...request })

/** The distribution with this id, by CloudFront's API. */
export function distribution(id: string): Distribution {
  const path = `/2020-05-31/distribution/${id}`
  return {
    async send(word) {
      const answer = await ask({ method: 'GET', path: `${path}/config` })
      const config = await answer.text()
      if (wordOf(config) === word) return
      await ask({
        method: 'PUT',
        path: `${path}/config`,
        // Another change meanwhile is refused with 412, and the rotation tried again.
        headers: { 'content-type': 'application/xml', 'if-match': answer.headers.get('etag') ?? '' },
        body: config.replace(header, (_all, before: string, _word, after: string) => before + word + after),
      })
    },
    async sends() {
      const text = await (await ask({ method: 'GET', path })).text()
      return { word: wordOf(text), everywhere: /<Status>Deployed<\/Status>/.test(text) }
    },
  }
}
