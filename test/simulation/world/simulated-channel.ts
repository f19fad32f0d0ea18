import { randomUUID } from 'node:crypto'
import { handler as onConnect } from '#functions/live/connect.ts'
import { handler as onMessage } from '#functions/live/default.ts'
import { handler as onDisconnect } from '#functions/live/disconnect.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'
import type { Place, Token } from '../models/account-model.ts'
import { agree } from './agree.ts'
import { headersFrom } from './places.ts'
import { replaceMethod } from './replace-method.ts'

/** The connection of a gateway or client, as its platform sees it. */
export type Link = {
  id: string
  device: string
  session: string
  /** Of a client, whose token can be taken away. */
  token: Token | null
  open: boolean
  /** Nudges that the device has got and not thought of yet. */
  waiting: number
  /** Nudges since its last heartbeat, whatever became of them. */
  sent: number
  /** Nudges since all was followed up. */
  told: number
  /** When it has sent its latest keepalives, in microseconds. */
  keepalives: number[]
}

type Device = { id: string; place: Place; session: { id: string } | null }

/** Where devices and functions would find it. */
export const channelAt = {
  LIVE_URL: 'wss://channel.example.com/live',
  LIVE_ENDPOINT: 'https://channel.example.com/live',
}

const nudges = { authorizations: 'gateways', resources: 'clients' } as const

/** The platform of the live channel, in the hands of a test: what the service sends arrives, or is gone. */
export class SimulatedChannel {
  /** The connection of each device that has one. */
  readonly links = new Map<string, Link>()
  /** Devices that were nudged, one entry a nudge, until somebody looks. */
  readonly nudged = { gateways: [] as string[], clients: [] as string[] }
  readonly #all = new Map<string, Link>()
  /** Ended by the service; the platform tells of that later. */
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
        link.told++
        this.nudged[kind].push(link.device)
      }
      return new Response(null, { status: 200 })
    })
  }

  #close(link: Link): void {
    link.open = false
    if (this.links.get(link.device) === link) this.links.delete(link.device)
  }

  /** Connects the session of a device; an older connection of it is replaced. */
  async connect({ id, place, session }: Device, secret: string, token: Token | null = null): Promise<Link> {
    if (!session) throw new Error('The device is offline.')
    const counts = { waiting: 0, sent: 0, told: 0, keepalives: [] }
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

  /** A sign of life. The service may end the connection for it. */
  async keepalive(link: Link, now: number): Promise<void> {
    link.keepalives = [...link.keepalives.filter((at) => at > now - 10_000_000), now]
    const message = { requestContext: contextOf(link), body: '{"type":"keepalive"}', isBase64Encoded: false }
    const { statusCode, body } = await onMessage(message)
    agree('the answer to a keepalive', [statusCode, body], [200, undefined])
  }

  /** The connection is lost. The platform may fail to tell. */
  async lose(link: Link, told: boolean): Promise<void> {
    this.#close(link)
    if (told) await this.#tell(link)
  }

  /** Tells the service of the connections that it has ended. */
  async tellOfEnds(): Promise<void> {
    for (const link of this.#ended.splice(0)) await this.#tell(link)
  }

  async #tell(link: Link): Promise<void> {
    const { statusCode } = await onDisconnect({ requestContext: contextOf(link), isBase64Encoded: false })
    agree('the end of a connection', statusCode, 200)
  }
}

const contextOf = ({ id }: Link) => ({ connectionId: id, requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' } })
