import { randomUUID } from 'node:crypto'
import { handler as onConnect } from '#functions/live/connect.ts'
import { handler as onMessage } from '#functions/live/default.ts'
import { handler as onDisconnect } from '#functions/live/disconnect.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'
import type { Place, Token } from '../models/account-model.ts'
import { agree } from './agree.ts'
import { headersFrom } from './places.ts'
import { replaceMethod } from './replace-method.ts'

/** Connection of a gateway or client, as known to API Gateway. */
export type Link = {
  id: string
  device: string
  session: string
  /** Token of the client; null for a gateway. */
  token: Token | null
  open: boolean
  /** Number of nudges that the device has received but not processed yet. */
  waiting: number
  /** Number of nudges since the device's last heartbeat. */
  sent: number
  sinceFollowUp: number
  /** Times of the keepalives of the last ten seconds, in microseconds. */
  keepalives: number[]
}

type Device = { id: string; place: Place; session: { id: string } | null }

/** Environment variables that direct the functions to the simulated channel. */
export const channelAt = {
  LIVE_URL: 'wss://channel.example.com/live',
  LIVE_ENDPOINT: 'https://channel.example.com/live',
}

const nudges = { authorizations: 'gateways', resources: 'clients' } as const

/** Simulates the live channel's API Gateway. Messages to closed connections result in status 410. */
export class SimulatedChannel {
  /** Open connections by device id. */
  readonly links = new Map<string, Link>()
  /** Ids of nudged devices, one per nudge, until a check empties the lists. */
  readonly nudged = { gateways: [] as string[], clients: [] as string[] }
  readonly #all = new Map<string, Link>()
  /** Connections that the service has closed but whose end API Gateway has not reported yet. */
  readonly #ended: Link[] = []

  constructor() {
    sdkByFetch()
    replaceMethod(globalThis, 'fetch', async (url, { method, body } = {}) => {
      const [, id = ''] = /@connections\/(.+)$/.exec(decodeURIComponent(String(url))) ?? []
      const link = this.#all.get(id)
      if (!link?.open) return new Response('{"message":"Gone"}', { status: 410 })
      if (method === 'DELETE') {
        this.#close(link)
        this.#ended.push(link)
        return new Response(null, { status: 204 })
      }
      const kind = nudges[JSON.parse(String(body)).type as keyof typeof nudges]
      if (kind) {
        link.waiting++
        link.sent++
        link.sinceFollowUp++
        this.nudged[kind].push(link.device)
      }
      return new Response(null, { status: 200 })
    })
  }

  #close(link: Link): void {
    link.open = false
    if (this.links.get(link.device) === link) this.links.delete(link.device)
  }

  /** Opens a connection for the device, which replaces its previous connection. */
  async connect({ id, place, session }: Device, secret: string, token: Token | null = null): Promise<Link> {
    if (!session) throw new Error('The device is offline.')
    const counts = { waiting: 0, sent: 0, sinceFollowUp: 0, keepalives: [] }
    const link: Link = { id: `${randomUUID()}=`, device: id, session: session.id, token, open: false, ...counts }
    this.#all.set(link.id, link)
    const { statusCode, body } = await onConnect({
      headers: { ...headersFrom(place), Authorization: `Bearer ${secret}` },
      queryStringParameters: { session_id: session.id },
      requestContext: contextOf(link),
      isBase64Encoded: false,
    })
    agree(`the handshake of device ${id}: ${body ?? ''}`, statusCode, 200)
    link.open = true
    this.links.set(id, link)
    return link
  }

  heartbeat(device: string): void {
    const link = this.links.get(device)
    if (link) link.sent = 0
  }

  async keepalive(link: Link, now: number): Promise<void> {
    link.keepalives = [...link.keepalives.filter((at) => at > now - 10_000_000), now]
    const message = { requestContext: contextOf(link), body: '{"type":"keepalive"}', isBase64Encoded: false }
    const { statusCode, body } = await onMessage(message)
    agree('the answer to a keepalive', [statusCode, body], [200, undefined])
  }

  /** Closes a connection. `isReported` is false if API Gateway fails to report the loss to the service. */
  async lose(link: Link, isReported: boolean): Promise<void> {
    this.#close(link)
    if (isReported) await this.#report(link)
  }

  async reportEnds(): Promise<void> {
    for (const link of this.#ended.splice(0)) await this.#report(link)
  }

  async #report(link: Link): Promise<void> {
    const { statusCode } = await onDisconnect({ requestContext: contextOf(link), isBase64Encoded: false })
    agree('the end of a connection', statusCode, 200)
  }
}

const contextOf = ({ id }: Link) => ({ connectionId: id, requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' } })
