import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { until } from '#test/support/run/until.ts'
import { LiveChannel } from '../../docs/examples/live-channel.ts'

afterEach(() => vi.restoreAllMocks())

/** Starts a channel that refuses the first `refusals` handshakes with 429, as API Gateway does under load. */
async function platform(refusals: number) {
  const requests: string[] = []
  const handshakes = new WebSocketServer({ noServer: true })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    requests.push(String(request.url))
    if (requests.length > refusals) handshakes.handleUpgrade(request, socket, head, () => undefined)
    else socket.end('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`
  return {
    url,
    requests,
    open: () => handshakes.clients.size,
    end: () => {
      for (const client of handshakes.clients) client.terminate()
    },
    stop() {
      for (const client of handshakes.clients) client.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
}

function listening() {
  const counts = { opened: 0, closed: 0 }
  const channel = new LiveChannel({
    opened: () => void counts.opened++,
    closed: () => void counts.closed++,
    received: () => undefined,
  })
  return { heard: counts, channel }
}

test('a refused device retries after a random delay within a range that doubles up to a minute', async () => {
  const part = 0.0001
  vi.spyOn(Math, 'random').mockReturnValue(part)
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const { url, stop, open } = await platform(10)
  const { heard, channel } = listening()
  channel.open({ url, keepalive_secs: 300 }, 'a', {})
  await until(() => heard.opened === 1)
  expect(open()).toBe(1)
  const spans = waits.mock.calls.flatMap(([, ms]) =>
    ms !== undefined && ms > 0 && ms <= 60_000 * part ? [ms / part] : [],
  )
  const expected = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
  expect(spans.map(Math.round).filter((span) => expected.includes(span))).toEqual(expected)
  channel.close()
  stop()
})

test('a heartbeat with the same channel changes nothing, another channel or none does', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const [here, there] = await Promise.all([platform(0), platform(0)])
  const { heard, channel } = listening()
  const announced = { url: here.url, keepalive_secs: 300 }
  channel.open(announced, 'a', {})
  await until(() => heard.opened === 1)
  channel.open({ ...announced }, 'a', {})
  channel.open({ ...announced, url: there.url }, 'a', {})
  await until(() => heard.opened === 2 && here.open() === 0)
  expect([here.requests, there.requests]).toEqual([['/live?session_id=a'], ['/live?session_id=a']])
  channel.open({ ...announced, url: there.url }, 'b', {})
  await until(() => heard.opened === 3)
  there.end()
  await until(() => heard.opened === 4)
  channel.open(null, 'b', {})
  await until(() => there.open() === 0)
  expect(heard.closed).toBe(4)
  expect(there.requests).toEqual(['/live?session_id=a', '/live?session_id=b', '/live?session_id=b'])
  here.stop()
  there.stop()
})
