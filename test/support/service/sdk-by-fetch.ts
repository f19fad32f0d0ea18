import { Readable } from 'node:stream'
import { buildQueryString, HttpResponse } from '@smithy/core/protocols'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { vi } from 'vitest'

const { handle } = NodeHttpHandler.prototype

/**
 * Makes the SDK send AWS requests with `fetch`, which a test can replace. The SDK still signs, parses and retries. Local requests use the
 * network. Removes the local Lambda endpoint, which the test engines may have set.
 */
export function sdkByFetch(): void {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', '')
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async function (this: NodeHttpHandler, ...args) {
    const [{ protocol, hostname, port, path, query, method, headers, body }] = args
    if (hostname.startsWith('127.') || hostname === 'localhost') return handle.apply(this, args)
    const search = buildQueryString(query ?? {})
    const url = `${protocol}//${hostname}${port ? `:${port}` : ''}${path}${search && `?${search}`}`
    const sent = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body
    const answer = await fetch(url, { method, headers, ...(sent !== undefined && { body: sent }) })
    const response = new HttpResponse({
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Readable.from([Buffer.from(await answer.arrayBuffer())]),
    })
    return { response }
  })
}

/** Replaces the endpoint of a client that has already resolved its endpoint. */
export function pointAt(client: { config: object }, endpoint: string): void {
  const { protocol, hostname, port, pathname: path } = new URL(endpoint)
  const parsed = { protocol, hostname, port: Number(port), path }
  Object.assign(client.config, { endpoint: async () => parsed, isCustomEndpoint: true })
}
