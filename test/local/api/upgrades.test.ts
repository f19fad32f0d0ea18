import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openChannel } from '#test/support/access/live.ts'
import { until } from '#test/support/run/until.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
let status = 200
beforeEach(async () => {
  status = 200
  channel = await openChannel({ intercept: async () => ({ statusCode: status }) })
})
afterEach(() => channel.stop())

const handshake = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** Sends a request and keeps its connection open. Returns the first part of the response, and the socket. */
async function send(path: string, headers: string[], body = ''): Promise<[text: string, socket: Socket]> {
  const socket = connect({ port: Number(new URL(channel.url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(`${[`GET ${path} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n${body}`)
  const [chunk] = await once(socket, 'data')
  return [String(chunk), socket]
}

it.each([
  ['another protocol', '/live', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAA']],
  ['another protocol and a body', '/x', ['Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 2'], '{}'],
  ['a handshake on another path', '/other', handshake],
])('answers %s as a request without an upgrade', async (_, path, headers, body = '') => {
  const [text, socket] = await send(path, headers, body)
  expect(text).toMatch(/^HTTP\/1\.1 404 Not Found\r\n(.+\r\n)*\r\n\{"message":"Not Found"\}$/)
  // Expects that the connection still accepts a further request.
  socket.write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /)
  socket.destroy()
})

it('closes the connection of a refused handshake, even if the client does not', async () => {
  status = 401
  const responses = await Promise.all(Array.from({ length: 200 }, () => send('/live', handshake)))
  expect(responses.filter(([text]) => /^HTTP\/1\.1 (401|429) /.test(text))).toHaveLength(200)
  await until(async () => (await channel.connections()) === 0)
  for (const [, socket] of responses) socket.destroy()
})

it('selects no subprotocol', async () => {
  const socket = new WebSocket(channel.url, ['first', 'second'])
  socket.on('error', () => undefined)
  const [{ headers }] = await once(socket, 'upgrade')
  expect(headers).not.toHaveProperty('sec-websocket-protocol')
  socket.terminate()
})
