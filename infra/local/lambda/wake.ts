import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import type { ClientRequest } from 'node:http'

/** Notifies waiting pollers of writes, so that they need not poll the engines constantly. */
export class WakeSignal {
  count = 0
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  notify(): void {
    this.count++
    this.#emitter.emit('written')
  }

  /** Waits until `count` has changed or the time has elapsed. */
  async since(count: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.count !== count) return
    const endSignal = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)])
    await once(this.#emitter, 'written', { signal: endSignal }).catch(() => undefined)
  }
}

/**
 * Commits, deleted authorizations and the other transactions of this process. No consumer handles other writes to the table, such as the log
 * entry of each request. Rows deleted by TTL wait for the next poll.
 */
export const tableWrites = new WakeSignal()

/** Flow reports that this process has written to the flow stream. */
export const flowWrites = new WakeSignal()

const signals = new Map([
  ['DynamoDB_20120810.TransactWriteItems', tableWrites],
  ['Kinesis_20131202.PutRecords', flowWrites],
])

// Node publishes this message for every response to a request of this process, when its headers arrive.
const channel = 'http.client.response.finish'

function onResponse(message: unknown): void {
  const { request } = message as { request: ClientRequest }
  signals.get(String(request.getHeader('x-amz-target')))?.notify()
}

/** Notifies the signals of writes until the returned function is called. */
export function watchWrites(): () => void {
  subscribe(channel, onResponse)
  return () => unsubscribe(channel, onResponse)
}
