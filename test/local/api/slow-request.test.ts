import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { trackUnusedConnections } from '#infra/local/api/http-server.ts'
import { listen, openServer } from '#infra/local/api/open-server.ts'

const server = openServer(
  async (request, response) => {
    await text(request).then(
      () => response.end('read'),
      () => response.destroy(),
    )
  },
  { requestTimeout: 300 },
)
const port = await listen(server, 0)
afterAll(() => void server.close())

async function answerTo(head: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(head)
  return text(socket)
}

it.each([
  ['headers', 'POST / HTTP/1.1\r\nHost: a\r\n'],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf'],
])('answers %s that never end with 408', async (_, head) => {
  expect(await answerTo(head)).toMatch(/^HTTP\/1.1 408 /)
})

it('answers a complete request', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfull'
  expect(await answerTo(head)).toMatch(/^HTTP\/1.1 200 .*read$/s)
})

it('closes connections without a request when the server stops', async () => {
  const server = openServer((_request, response) => void response.end('answered'))
  const silent = trackUnusedConnections(server)
  const port = await listen(server, 0)
  const [asking, waiting] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all([once(asking, 'connect'), once(waiting, 'connect')])
  asking.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(asking, 'data')
  await expect.poll(() => [...silent].map(({ remotePort }) => remotePort)).toEqual([waiting.localPort])
  server.close()
  server.closeIdleConnections()
  for (const socket of silent) socket.destroy()
  await once(server, 'close')
  expect(server.listening).toBe(false)
})
