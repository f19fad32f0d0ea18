import { randomUUID } from 'node:crypto'
import { handler as onConnect } from '#functions/live/connect.ts'
import { handler as onDisconnect } from '#functions/live/disconnect.ts'
import type { Gateway } from './account-model.ts'
import { agree } from './agree.ts'
import { headersFrom } from './places.ts'
import { replaceMethod } from './replace-method.ts'

/** A gateway's connection, as its platform sees it. */
export type Link = {
  id: string
  gateway: string
  session: string
  open: boolean
  /** Nudges that the gateway has got and not thought of yet. */
  waiting: number
  /** Nudges since its last heartbeat, whatever became of them. */
  sent: number
}

/** Where devices and functions would find it. */
export const channelAt = {
  LIVE_URL: 'wss://channel.example.com/live',
  LIVE_ENDPOINT: 'https://channel.example.com/live',
}

/** The platform of the live channel, in the hands of a test: what the service sends arrives, or is gone. */
export class SimulatedChannel {
  /** The connection of each gateway that has one. */
  readonly links = new Map<string, Link>()
  /** Gateways that were nudged, one entry a nudge, until somebody looks. */
  readonly nudged: string[] = []
  readonly #all = new Map<string, Link>()
  /** Ended by the service; the platform tells of that later. */
  readonly #ended: Link[] = []

  constructor() {
    replaceMethod(globalThis, 'fetch', async (url, { method, body } = {}) => {
      const [, id = ''] = /@connections\/(.+)$/.exec(decodeURIComponent(String(url))) ?? []
      const link = this.#all.get(id)
      if (!link?.open) return new Response('{"message":"Gone"}', { status: 410 })
      if (method === 'DELETE') {
        this.#close(link)
        this.#ended.push(link)
        return new Response(null, { status: 204 })
      }
      if (JSON.parse(String(body)).type === 'authorizations') {
        link.waiting++
        link.sent++
        this.nudged.push(link.gateway)
      }
      return new Response(null, { status: 200 })
    })
  }

  #close(link: Link): void {
    link.open = false
    if (this.links.get(link.gateway) === link) this.links.delete(link.gateway)
  }

  /** Connects the session of a gateway; an older connection of it is replaced. */
  async connect({ id, place, session }: Gateway): Promise<void> {
    if (!session) throw new Error('The gateway is offline.')
    const link = { id: `${randomUUID()}=`, gateway: id, session: session.id, open: false, waiting: 0, sent: 0 }
    this.#all.set(link.id, link)
    const { statusCode, body } = await onConnect({
      headers: { ...headersFrom(place), Authorization: `Bearer ${session.secret}` },
      queryStringParameters: { session_id: session.id },
      requestContext: { connectionId: link.id, requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' } },
      isBase64Encoded: false,
    })
    agree(`the handshake of gateway ${id}: ${body ?? ''}`, statusCode, 200)
    link.open = true
    this.links.set(id, link)
  }

  heartbeat(gateway: string): void {
    const link = this.links.get(gateway)
    if (link) link.sent = 0
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

  async #tell({ id }: Link): Promise<void> {
    const requestContext = { connectionId: id, requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' } }
    const { statusCode } = await onDisconnect({ requestContext, isBase64Encoded: false })
    agree('the end of a connection', statusCode, 200)
  }
}
