import { setTimeout as sleep } from 'node:timers/promises'

/** How a gateway came to know something: told to ask or not, when it asked, and when it had the answer. */
export type Known = { nudgedAt: number | null; askedAt: number; knownAt: number }

/** Looks at a gateway of `docs/examples` from outside: at its heartbeats and at what the channel tells it. One at a time. */
export class GatewayWatch {
  readonly #added = new Map<string, Known>()
  readonly #removed = new Map<string, Known>()
  readonly #nudges: number[] = []
  /** Of the heartbeat under way, and the one before. */
  #askedAt = 0
  #askedBefore = 0
  readonly #fetch = globalThis.fetch
  readonly #listen = WebSocket.prototype.addEventListener

  constructor() {
    const [nudges, listen] = [this.#nudges, this.#listen as (...given: unknown[]) => void]
    WebSocket.prototype.addEventListener = function heard(this: WebSocket, ...given: unknown[]) {
      const note = ({ data }: MessageEvent) => {
        if (String(data) === '{"type":"authorizations"}') nudges.push(performance.now())
      }
      if (given[0] === 'message') listen.call(this, 'message', note)
      listen.apply(this, given)
    }
    globalThis.fetch = (input, init) => {
      if (init?.method === 'PUT' && String(input).includes('/gateway/sessions/')) {
        this.#askedBefore = this.#askedAt
        this.#askedAt = performance.now()
      }
      return this.#fetch(input, init)
    }
  }

  stop(): void {
    globalThis.fetch = this.#fetch
    WebSocket.prototype.addEventListener = this.#listen
  }

  /** What the gateway has learned from its latest heartbeat. */
  note({ added, removed }: { added: { id: string }[]; removed: string[] }): void {
    // The first since it asked before made it ask; what came after it asked makes it ask again.
    const nudgedAt = this.#nudges.find((at) => at > this.#askedBefore && at <= this.#askedAt) ?? null
    const known = { nudgedAt, askedAt: this.#askedAt, knownAt: performance.now() }
    for (const { id } of added) if (!this.#added.has(id)) this.#added.set(id, known)
    for (const id of removed) if (!this.#removed.has(id)) this.#removed.set(id, known)
  }

  /** Waits until the gateway holds an authorization, or no more; null where it has not heard of that for so long. */
  async until(what: 'added' | 'removed', id: string, milliseconds: number): Promise<Known | null> {
    const all = what === 'added' ? this.#added : this.#removed
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(5)) {
      const known = all.get(id)
      if (known) return known
    }
    return null
  }
}
