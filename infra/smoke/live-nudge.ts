import { keepaliveSeconds } from '../../docs/examples/intervals.ts'
import { type Live, LiveChannel } from '../../docs/examples/live-channel.ts'
import { Skipped } from './report.ts'

const openWithinMs = 15_000

/** A gateway's connection to the live channel, which waits for the message that announces a new authorization. */
export class LiveNudge {
  readonly #opened = Promise.withResolvers<void>()
  readonly #nudged = Promise.withResolvers<void>()
  readonly #channel = new LiveChannel({
    opened: () => this.#opened.resolve(),
    closed: () => undefined,
    received: ({ type }) => {
      if (type === 'authorizations') this.#nudged.resolve()
    },
  })
  #isOpen = false

  async open(live: Live, sessionId: string, headers: Record<string, string>): Promise<[string, undefined]> {
    if (live === null) throw new Skipped('the deployment has no live channel')
    this.#channel.open(live, sessionId, headers, keepaliveSeconds)
    await inTime(this.#opened.promise, openWithinMs, `${live.url} was not open`)
    this.#isOpen = true
    return [`open at ${live.url}`, undefined]
  }

  /** Waits for the message. False where the channel is not open. */
  async isNudged(): Promise<boolean> {
    if (this.#isOpen) await inTime(this.#nudged.promise, 10_000, 'the live channel did not announce the authorization')
    return this.#isOpen
  }

  close(): void {
    this.#channel.close()
  }
}

async function inTime(work: Promise<void>, milliseconds: number, missing: string): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${missing} within ${milliseconds / 1_000} s`)), milliseconds)
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
