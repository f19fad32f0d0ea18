import { setTimeout as sleep } from 'node:timers/promises'
import { LiveChannel, type Message } from '../../../docs/examples/live-channel.ts'

/** Devices as those of the examples are: they connect, and come again when they are refused or lose their connection. */
export class LiveCrowd {
  /** Milliseconds from the beginning until each was in, in the order in which they came. */
  readonly opened: number[] = []
  /** Handshakes that were refused, and connections that ended. */
  closed = 0
  readonly received: Message[] = []
  readonly #channels: LiveChannel[] = []

  /** Lets all of them connect at once. */
  connect(url: string, sessions: { token: string; id: string }[]): void {
    const begin = performance.now()
    for (const { token, id } of sessions) {
      const channel = new LiveChannel({
        opened: () => void this.opened.push(performance.now() - begin),
        closed: () => void this.closed++,
        received: (message) => void this.received.push(message),
      })
      this.#channels.push(channel)
      channel.open({ url, keepalive_secs: 300 }, id, { authorization: `Bearer ${token}` })
    }
  }

  /** Waits until so many were let in, or that long: how many were. */
  async untilOpened(count: number, milliseconds: number): Promise<number> {
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20))
      if (this.opened.length >= count) break
    return this.opened.length
  }

  close(): void {
    for (const channel of this.#channels) channel.close()
  }
}
