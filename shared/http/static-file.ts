import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib'
import { runInvocation } from '../core/logging/invocation.ts'
import { isKnown } from './entity-tag.ts'
import { type Answer, type Event, qualitiesOf, requestIdOf } from './exchange.ts'
import type { Handler } from './lambda.ts'
import { requestOrigin } from './origin.ts'
import { problem } from './problem.ts'

type Encoding = 'br' | 'gzip' | 'identity'

const encoders: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => gzipSync(bytes),
  identity: (bytes) => bytes,
}

/** Returns the most compact encoding that the caller accepts (RFC 9110, 12.5.3). */
function encodingFor(accepted = ''): Encoding {
  const qualities = qualitiesOf(accepted)
  return (['br', 'gzip'] as const).find((coding) => qualities.get(coding)) ?? 'identity'
}

/** Builds a cacheable response to a request without a credential (A2.10, A2.11, P8.2). */
export function answerPublicly(
  event: Event,
  context: Parameters<Handler>[1],
  answer: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const requestId = requestIdOf(event.headers['x-request-id'])
  return runInvocation(
    { operation: event.routeKey, request_id: requestId, function_request_id: context?.awsRequestId },
    () =>
      Promise.resolve()
        .then(() => requestOrigin(event))
        .then(answer)
        .then((result) => ({
          ...result,
          headers: { 'cache-control': 'public, max-age=300', ...result.headers, 'x-request-id': requestId },
        }))
        .catch((error: unknown) => problem(error, requestId)),
  )
}

/** Serves a file of the bundle. Compresses the file only once per encoding. */
export function staticFile(file: URL, headers: Record<string, string>): (event: Event) => Promise<Answer> {
  const encoded = new Map<Encoding, Promise<{ body: string; tag: string }>>()
  const encode = async (encoding: Encoding) => {
    const bytes = await readFile(file)
    const tag = `"${createHash('sha256').update(encoding).update(bytes).digest('base64url').slice(0, 22)}"`
    return { body: encoders[encoding](bytes).toString('base64'), tag }
  }
  return async ({ headers: { 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } }) => {
    const encoding = encodingFor(accepted)
    const content = encoded.get(encoding) ?? encode(encoding)
    encoded.set(encoding, content)
    const { body, tag } = await content
    const common = { ...headers, etag: tag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' }
    if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, tag)) return { statusCode: 304, headers: common }
    return {
      statusCode: 200,
      headers: { ...common, ...(encoding !== 'identity' && { 'content-encoding': encoding }) },
      body,
      isBase64Encoded: true,
    }
  }
}

const extensions: Record<Encoding, string> = { br: 'br', gzip: 'gz', identity: 'gz' }

/**
 * Serves files that the build has compressed with both encodings, under their names with the extensions `br` and `gz`. Keeps them in
 * memory. The result is undefined for a missing file.
 */
export function compressedFile(
  headers: Record<string, string>,
): (file: URL, event: Event) => Promise<Answer | undefined> {
  const contents = new Map<string, { body: string; tag: string }>()
  return async (file, { headers: { 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } }) => {
    const encoding = encodingFor(accepted)
    const key = `${encoding} ${file.href}`
    if (!contents.has(key)) {
      const bytes = await readFile(`${fileURLToPath(file)}.${extensions[encoding]}`).catch(() => undefined)
      if (!bytes) return undefined
      const tag = `"${createHash('sha256').update(encoding).update(bytes).digest('base64url').slice(0, 22)}"`
      contents.set(key, { body: (encoding === 'identity' ? gunzipSync(bytes) : bytes).toString('base64'), tag })
    }
    const { body, tag } = contents.get(key) ?? { body: '', tag: '' }
    const common = { ...headers, etag: tag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' }
    if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, tag)) return { statusCode: 304, headers: common }
    return {
      statusCode: 200,
      headers: { ...common, ...(encoding !== 'identity' && { 'content-encoding': encoding }) },
      body,
      isBase64Encoded: true,
    }
  }
}
