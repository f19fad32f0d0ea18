import { setTimeout as sleep } from 'node:timers/promises'

/** Times at which a gateway was nudged (null without a nudge), sent its heartbeat, and received the change. */
export type Receipt = { nudgedAt: number | null; sentAt: number; receivedAt: number }

/**
 * Observes the heartbeats and channel messages of a gateway from `docs/examples`. Replaces global functions, so only one instance may exist
 * at a time.
 */
export class GatewayWatch {
  readonly #added = new Map<string, Receipt>()
  readonly #removed = new Map<string, Receipt>()
  readonly #nudges: number[] = []
  /** Start times of the latest and the previous heartbeat. */
  #sentAt = 0
  #previousSentAt = 0
  readonly #fetch = globalThis.fetch
  readonly #listen = WebSocket.prototype.addEventListener

  constructor() {
    const [nudges, listen] = [this.#nudges, this.#listen as (...given: unknown[]) => void]
    WebSocket.prototype.addEventListener = function observed(this: WebSocket, ...given: unknown[]) {
      const note = ({ data }: MessageEvent) => {
        if (String(data) === '{"type":"authorizations"}') nudges.push(performance.now())
      }
      if (given[0] === 'message') listen.call(this, 'message', note)
      listen.apply(this, given)
    }
    globalThis.fetch = (input, init) => {
      if (init?.method === 'PUT' && String(input).includes('/gateway/sessions/')) {
        this.#previousSentAt = this.#sentAt
        this.#sentAt = performance.now()
      }
      return this.#fetch(input, init)
    }
  }

  stop(): void {
    globalThis.fetch = this.#fetch
    WebSocket.prototype.addEventListener = this.#listen
  }

  note({ added, removed }: { added: { id: string }[]; removed: string[] }): void {
    // Finds the nudge that caused the latest heartbeat. It is the first nudge since the previous heartbeat started.
    const nudgedAt = this.#nudges.find((at) => at > this.#previousSentAt && at <= this.#sentAt) ?? null
    const receipt = { nudgedAt, sentAt: this.#sentAt, receivedAt: performance.now() }
    for (const { id } of added) if (!this.#added.has(id)) this.#added.set(id, receipt)
    for (const id of removed) if (!this.#removed.has(id)) this.#removed.set(id, receipt)
  }

  /** Waits until the gateway has added or removed the authorization. Returns null after the timeout. */
  async until(what: 'added' | 'removed', id: string, milliseconds: number): Promise<Receipt | null> {
    const all = what === 'added' ? this.#added : this.#removed
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(5)) {
      const receipt = all.get(id)
      if (receipt) return receipt
    }
    return null
  }
}
