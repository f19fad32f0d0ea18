import { setTimeout as sleep } from 'node:timers/promises'
import type { RawData, WebSocket } from 'ws'
import type { LiveRoute } from '../../template/routes.ts'
import { disconnectEvent, type LiveConnection, messageEvent } from './live-event.ts'

type Options = {
  invoke(route: LiveRoute, event: unknown): Promise<Record<string, unknown>>
  /** True if the result of `$default` is sent to the device. */
  returnsResult: boolean
  idleMs: number
  lifeMs: number
}

/** Maximum number of `$disconnect` invocations in progress. Unlimited ones would time out when a network fault closes all connections. */
const maxDisconnects = 20

/** Open connections of the live channel. A message invokes `$default`, and closing a connection invokes `$disconnect`. */
export class LiveSockets {
  readonly open = new Map<string, LiveSocket>()
  private readonly disconnects: unknown[] = []
  private readonly ending = new Set<Promise<void>>()
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  serve(socket: WebSocket, connection: LiveConnection): void {
    const { invoke, returnsResult, idleMs, lifeMs } = this.options
    const live: LiveSocket = { connection, socket, lastActiveAt: Date.now() }
    this.open.set(connection.connectionId, live)
    const close = (reason: string) => socket.close(1001, reason)
    const lifeTimer = setTimeout(close, lifeMs, 'Going away')
    const idleTimer = setTimeout(close, idleMs, 'Going away')
    const receive = async (data: RawData, isBinary: boolean) => {
      const { body } = await invoke('$default', messageEvent(connection, data as Buffer, isBinary))
      // Sends the result only if the route has a route response, as API Gateway does.
      if (returnsResult && typeof body === 'string' && socket.readyState === socket.OPEN) socket.send(body)
    }
    socket.on('message', (data: RawData, isBinary: boolean) => {
      live.lastActiveAt = Date.now()
      idleTimer.refresh()
      void receive(data, isBinary)
    })
    // Ignores errors, because a `close` event follows each of them.
    socket.on('error', () => undefined)
    socket.once('close', (code: number, reason: Buffer) => {
      clearTimeout(lifeTimer)
      clearTimeout(idleTimer)
      this.open.delete(connection.connectionId)
      this.notifyDisconnect(connection, code, reason.toString())
    })
  }

  notifyDisconnect(connection: LiveConnection, code: number, reason: string): void {
    this.disconnects.push(disconnectEvent(connection, code, reason))
    if (this.ending.size >= maxDisconnects) return
    const work = this.invokeDisconnects().finally(() => this.ending.delete(work))
    this.ending.add(work)
  }

  private async invokeDisconnects(): Promise<void> {
    for (let event = this.disconnects.shift(); event; event = this.disconnects.shift())
      await this.options.invoke('$disconnect', event)
  }

  /** Closes all connections within a second, and waits until `$disconnect` has run for each. */
  async stop(): Promise<void> {
    for (const { socket } of this.open.values()) socket.close(1001, 'Going away')
    for (let i = 0; i < 100 && this.open.size > 0; i++) await sleep(10)
    for (const { socket } of this.open.values()) socket.terminate()
    await Promise.all(this.ending)
  }
}

export type LiveSocket = { connection: LiveConnection; socket: WebSocket; lastActiveAt: number }
