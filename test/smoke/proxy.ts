import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Options = {
  /** True for requests that the proxy refuses with 403. */
  denies?: (method: string, path: string) => boolean
  /** Changes the body of a response. */
  rewrites?: (path: string, body: string) => string
}

/** Starts a proxy in front of a service. The proxy drops the first 201 response of each path. */
export async function startProxy(
  target: string,
  { denies = () => false, rewrites = (_path, body) => body }: Options = {},
) {
  const lost: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    if (denies(method, url)) return response.writeHead(403).end('{"code":"forbidden","detail":"Denied."}')
    const { host: _host, ...forwarded } = headers
    const passed = httpRequest(target + url, { method, headers: forwarded }, (answer) => {
      if (method === 'POST' && answer.statusCode === 201 && !lost.includes(url)) {
        lost.push(url)
        return request.socket.destroy()
      }
      const { 'content-length': _length, ...others } = answer.headers
      void text(answer).then((body) => {
        response.writeHead(answer.statusCode ?? 500, others)
        response.end(rewrites(url, body))
      })
    })
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
