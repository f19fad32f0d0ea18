import { serviceHost } from './service-host.ts'
import { type SignedRequest, signedFetch, uriEncode } from './signed-fetch.ts'

type BucketRequest = Pick<SignedRequest, 'method' | 'query' | 'headers' | 'body'> & { key?: string }

/** Sends a request about a bucket, or about one of its objects, to S3. @throws AnswerError */
export function askBucket(
  bucket: string,
  { key = '', ...request }: BucketRequest,
  timeoutMs?: number,
): Promise<Response> {
  const path = `/${key.split('/').map(uriEncode).join('/')}`
  return signedFetch({ service: 's3', host: `${bucket}.${serviceHost('s3')}`, path, ...request }, timeoutMs)
}

/** A key in a listing with `encoding-type=url`. */
export const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '))
