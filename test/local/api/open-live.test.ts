import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { postMessage } from '#shared/live/send-message.ts'
import { connectTo, openChannel, type Refusal } from '#test/support/access/live.ts'
import { until } from '#test/support/run/until.ts'

type Event = {
  headers?: Record<string, string>
  queryStringParameters?: Record<string, string>
  requestContext: Record<string, unknown> & { connectionId: string }
  body?: string
  isBase64Encoded: boolean
}

let channel: Awaited<ReturnType<typeof openChannel>> | undefined
afterEach(async () => {
  await channel?.stop()
  channel = undefined
})

/** Starts the channel in front of functions that only record their events. */
async function open(answers: Record<string, unknown> = {}, limits: Parameters<typeof openChannel>[0] = {}) {
  const events: [route: string, event: Event][] = []
  channel = await openChannel({
    ...limits,
    intercept: async (route, event) => {
      events.push([route, event as Event])
      return answers[route] ?? { statusCode: 200 }
    },
  })
  const eventsOf = (route: string) => events.filter(([at]) => at === route).map(([, event]) => event)
  return { url: channel.url, eventsOf }
}

it('invokes functions with the events of API Gateway', async () => {
  const { url, eventsOf } = await open()
  const device = await connectTo(url, 'token', 'a-session', { 'X-Request-Id': 'mine' })
  device.send({ type: 'keepalive' })
  await until(() => eventsOf('$default').length === 1)
  device.close()
  await until(() => eventsOf('$disconnect').length === 1)
  const [connected, message, ended] = [eventsOf('$connect')[0], eventsOf('$default')[0], eventsOf('$disconnect')[0]]
  expect(connected).toMatchObject({
    headers: { 'X-Request-Id': 'mine', authorization: 'Bearer token' },
    queryStringParameters: { session_id: 'a-session' },
    requestContext: { eventType: 'CONNECT', routeKey: '$connect', identity: { sourceIp: '127.0.0.1' } },
  })
  expect(message).toMatchObject({ body: '{"type":"keepalive"}', isBase64Encoded: false })
  expect(message?.headers).toBeUndefined()
  expect(ended?.requestContext).toMatchObject({ eventType: 'DISCONNECT', disconnectStatusCode: 1005 })
  const ids = [connected, message, ended].map((event) => event?.requestContext.connectionId)
  expect(new Set(ids).size).toBe(1)
})

it('refuses a handshake with the response of the function, and other paths without calling it', async () => {
  const { url } = await open({ $connect: { statusCode: 404, body: '{"code":"not_found"}' } })
  const refused = await connectTo(url, 'token', 'x').catch((error: unknown) => error)
  expect((refused as Refusal).refused).toEqual({ status: 404, body: { code: 'not_found' } })
  const otherPath = await connectTo(url.replace('/live', '/other'), 'token', 'x').catch((error: unknown) => error)
  expect((otherPath as Refusal).refused.status).toBe(404)
})

const statusOf = (url: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = get(url.replace('ws:', 'http:'), { headers: { connection: 'Upgrade', ...headers } })
    request.once('response', ({ statusCode }) => resolve(statusCode)).once('error', reject)
  })

it('calls no function for an invalid handshake', async () => {
  const { url, eventsOf } = await open()
  const handshake = {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  for (const wrong of [
    { 'sec-websocket-version': '12' },
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-key': '' },
  ]) {
    expect(await statusOf(url, { ...handshake, ...wrong }), JSON.stringify(wrong)).toBe(400)
  }
  expect(eventsOf('$connect')).toEqual([])
})

it('reports the disconnect of a device that leaves during its handshake', async () => {
  const requested = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<unknown>()
  const ended: unknown[] = []
  channel = await openChannel({
    intercept: async (route, event) => {
      if (route !== '$connect') return void ended.push((event as Event).requestContext.connectionId)
      requested.resolve()
      ended.push((event as Event).requestContext.connectionId)
      return answer.promise
    },
  })
  const socket = new WebSocket(channel.url)
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await requested.promise
  socket.terminate()
  await closed
  await sleep(50)
  answer.resolve({ statusCode: 200 })
  await until(() => ended.length === 2)
  expect(ended[0]).toBe(ended[1])
})

it('invokes $disconnect for all connections that close at once, 20 at a time', async () => {
  let running = 0
  let most = 0
  const ended = new Set<string>()
  channel = await openChannel({
    intercept: async (route, event) => {
      if (route !== '$disconnect') return { statusCode: 200 }
      most = Math.max(most, ++running)
      await sleep(20)
      running--
      ended.add((event as Event).requestContext.connectionId)
    },
  })
  const { url } = channel
  const devices = await Promise.all(Array.from({ length: 90 }, () => connectTo(url, 'token', 'a-session')))
  for (const device of devices) device.close()
  await until(() => most > 0)
  await channel.stop()
  channel = undefined
  expect({ ended: ended.size, most }).toEqual({ ended: 90, most: 20 })
})

it('refuses handshakes above the concurrency limit, and accepts new ones after the running ones end', async () => {
  const answer = Promise.withResolvers<unknown>()
  let requested = 0
  channel = await openChannel({
    limits: { handshakes: 2 },
    intercept: async (route) => {
      if (route === '$connect') requested++
      return requested <= 2 ? answer.promise : { statusCode: 200 }
    },
  })
  const { url } = channel
  const first = [connectTo(url, 'token', 'a'), connectTo(url, 'token', 'b')]
  await until(() => requested === 2)
  const refused = await connectTo(url, 'token', 'c').catch((error: unknown) => error)
  expect((refused as Refusal).refused).toEqual({ status: 429, body: { message: 'Too Many Requests' } })
  answer.resolve({ statusCode: 200 })
  await Promise.all(first)
  await connectTo(url, 'token', 'c')
  expect(requested).toBe(3)
})

it('reports an error of a function as API Gateway does, and prints its stack to the terminal', async () => {
  const printed: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => printed.push(String(line)) > 0)
  channel = await openChannel({
    intercept: async (route) => {
      if (route === '$connect') return { statusCode: 200 }
      throw new Error('a fault that is meant')
    },
  })
  const socket = new WebSocket(channel.url)
  const answer = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))))
  socket.once('open', () => socket.send('hello'))
  expect(JSON.parse(await answer)).toEqual({ message: 'Internal server error' })
  await channel.stop()
  vi.restoreAllMocks()
  expect(printed.map((line) => line.split('\n')[0])).toEqual([
    '$default: Error: a fault that is meant',
    '$disconnect: Error: a fault that is meant',
  ])
})

it('closes idle connections, and each connection at its maximum age', async () => {
  const idle = await open({}, { limits: { idleMs: 50 } })
  expect(await (await connectTo(idle.url, 'token', 'x')).closed).toBe(1001)
  await channel?.stop()
  const old = await open({}, { limits: { lifeMs: 50 } })
  expect(await (await connectTo(old.url, 'token', 'x')).closed).toBe(1001)
  await until(() => old.eventsOf('$disconnect').length === 1)
})

it('delivers messages to connections as the platform does', async () => {
  const { url, eventsOf } = await open()
  const device = await connectTo(url, 'token', 'x')
  const id = eventsOf('$connect')[0]?.requestContext.connectionId ?? ''
  expect(await postMessage(id, { type: 'authorizations' })).toBe('sent')
  expect(await device.next('authorizations')).toEqual({ type: 'authorizations' })
  expect(await postMessage(id, { type: 'x', pad: 'x'.repeat(128 * 1_024) })).toBe('failed')
  expect(await postMessage('bm9ib2R5', { type: 'authorizations' })).toBe('gone')
  device.close()
  await until(() => eventsOf('$disconnect').length === 1)
  expect(await postMessage(id, { type: 'authorizations' })).toBe('gone')
})

it('rejects messages for a device that does not read, and still delivers to others', async () => {
  const { url, eventsOf } = await open()
  const deaf = await connectTo(url, 'token', 'deaf')
  const other = await connectTo(url, 'token', 'other')
  const [deafId = '', otherId = ''] = eventsOf('$connect').map(({ requestContext }) => requestContext.connectionId)
  deaf.pause()
  const pad = 'x'.repeat(100 * 1_024)
  let sending = 'sent'
  for (let i = 0; i < 400 && sending === 'sent'; i++) sending = await postMessage(deafId, { type: 'x', pad })
  expect(sending).toBe('failed')
  expect(await postMessage(otherId, { type: 'authorizations' })).toBe('sent')
  expect(await other.next('authorizations')).toBeDefined()
})
