/** Where the channel is; null where the service has none. */
export type Live = { url: string; keepalive_secs: number } | null

/** What the service sends. More kinds may come: a device ignores what it does not know. */
export type Message =
  | { type: 'authorizations' }
  | { type: 'resources'; within_ms: number }
  | { type: 'session_ended'; reason: string }
  | { type: 'closing'; code: number; reason: string }
  | { type: 'pong'; id: string }

type Listener = {
  /** The channel is open. What happened before nobody tells: ask once. */
  opened(): void
  closed(): void
  received(message: Message): void
}

const firstPauseMs = 500
const longestPauseMs = 60_000

/** Node's own `WebSocket` takes headers; that of a browser does not, and has no business here. */
type Handshake = { headers: Record<string, string> }
const Socket = WebSocket as unknown as new (url: string, options: Handshake) => WebSocket

/**
 * A connection to the live channel that comes back whenever it ends: every two hours at least, as the platform ends each.
 * Without it everything works, with up to a heartbeat of delay.
 */
export class LiveChannel {
  readonly #listener: Listener
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #keepalive: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #keepaliveMs = 0
  /** Where it is connected, or tries to be. */
  #address: string | null = null

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /**
   * Connects a session, with a keepalive so often, as the answer to its start or to a heartbeat says. A connection that is there stays,
   * unless the channel has moved or gone, or the session is another one.
   */
  open(live: Live, sessionId: string, headers: Record<string, string>, keepaliveSeconds?: number): void {
    const address = live && `${live.url}?session_id=${sessionId}`
    if (address === this.#address) return
    if (this.#address !== null) {
      this.close()
      this.#listener.closed()
    }
    if (live === null || address === null) return
    this.#address = address
    this.#pauseMs = firstPauseMs
    this.#keepaliveMs = (keepaliveSeconds ?? live.keepalive_secs) * 1_000
    this.#connect(address, headers)
  }

  close(): void {
    this.#address = null
    clearTimeout(this.#timer)
    clearInterval(this.#keepalive)
    this.#socket?.close()
    this.#socket = undefined
  }

  #connect(url: string, headers: Record<string, string>): void {
    const socket = new Socket(url, { headers })
    this.#socket = socket
    socket.addEventListener('open', () => {
      this.#pauseMs = firstPauseMs
      this.#keepalive = setInterval(() => socket.send('{"type":"keepalive"}'), this.#keepaliveMs)
      this.#listener.opened()
    })
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
    // A refused handshake ends here, too. Its reason does not matter: too many at once come in later, and all else the next
    // heartbeat learns over HTTP.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#socket !== socket) return
      clearInterval(this.#keepalive)
      this.#listener.closed()
      // At random, so that devices that lost their connections together do not come back together.
      this.#timer = setTimeout(() => this.#connect(url, headers), Math.random() * this.#pauseMs)
      this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
    })
  }

  #receive(text: string): void {
    try {
      this.#listener.received(JSON.parse(text))
    } catch {
      // No message of this service.
    }
  }
}
