import { setTimeout as sleep } from 'node:timers/promises'
import { LiveChannel, type Message } from '../../../docs/examples/live-channel.ts'

/** Example clients (`docs/examples`) that connect, and that reconnect after a refusal or a lost connection. */
export class LiveCrowd {
  /** Milliseconds from the call of `connect` until each device was connected, in connection order. */
  readonly opened: number[] = []
  closed = 0
  readonly received: Message[] = []
  readonly #channels: LiveChannel[] = []

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

  /** Waits at most `milliseconds` until `count` devices are connected. Returns the number of connected devices. */
  async untilOpened(count: number, milliseconds: number): Promise<number> {
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20))
      if (this.opened.length >= count) break
    return this.opened.length
  }

  close(): void {
    for (const channel of this.#channels) channel.close()
  }
}
