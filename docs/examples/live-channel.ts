/** Address of the channel and its keepalive interval; null if the service has no channel. */
export type LiveEndpoint = { url: string; keepalive_secs: number } | null

/** Messages of the service. A later version may add types: a device ignores unknown ones. */
export type Message =
  | { type: 'authorizations' }
  | { type: 'resources'; within_ms: number }
  | { type: 'session_ended'; reason: string }
  | { type: 'closing'; code: number; reason: string }
  | { type: 'pong'; id: string }

type Listener = {
  /** Called when the channel has opened. Earlier changes are not sent again, so the device sends a heartbeat. */
  opened(): void
  closed(): void
  received(message: Message): void
}

const firstPauseMs = 500
const maxPauseMs = 60_000

/** Second argument of Node's `WebSocket`, which accepts headers. The WebSocket type of browsers does not have it. */
type Handshake = { headers: Record<string, string> }
const Socket = WebSocket as unknown as new (url: string, options: Handshake) => WebSocket

/**
 * A connection to the live channel that reconnects whenever it ends. The platform ends each connection after two hours. Without a
 * connection, a device receives changes with its next heartbeat.
 */
export class LiveChannel {
  readonly #listener: Listener
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #keepalive: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #keepaliveMs = 0
  /** Address of the current connection or attempt; null when closed. */
  #address: string | null = null

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /**
   * Connects a session to the endpoint of the last response. An existing connection stays open unless the endpoint or the session has
   * changed. Without an endpoint the connection is closed.
   * @param keepaliveSeconds overrides the keepalive interval of the endpoint
   */
  open(live: LiveEndpoint, sessionId: string, headers: Record<string, string>, keepaliveSeconds?: number): void {
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
    // A refused handshake also ends here. The cause needs no handling: 429 passes with a retry, and the next heartbeat over HTTP
    // reports all other causes.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#socket !== socket) return
      clearInterval(this.#keepalive)
      this.#listener.closed()
      // Random delay, so that devices that lost their connections together do not reconnect together.
      this.#timer = setTimeout(() => this.#connect(url, headers), Math.random() * this.#pauseMs)
      this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2)
    })
  }

  #receive(text: string): void {
    try {
      this.#listener.received(JSON.parse(text))
    } catch {
      // Ignored: the text is not a message of this service.
    }
  }
}
