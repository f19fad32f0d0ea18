import { setTimeout as sleep } from 'node:timers/promises'

/** Pattern for the service's tokens, to redact them in output. */
const tokens = /\bna[acgp]_[\w.~+/=-]+/g

export const withoutTokens = (text: string): string => text.replace(tokens, '[token]')

export const printLine = (text: string): void => void process.stdout.write(`${withoutTokens(text)}\n`)

/** Ends a step that neither succeeded nor failed. The message gives the reason. */
export class SkippedStep extends Error {}

type Outcome = 'ok' | 'failed' | 'skipped'

export class Report {
  readonly #stop: AbortSignal
  readonly #names: Record<Outcome, string[]> = { ok: [], failed: [], skipped: [] }
  readonly #begunAt = performance.now()

  constructor(stop: AbortSignal) {
    this.#stop = stop
  }

  has(name: string): boolean {
    return Object.values(this.#names).some((names) => names.includes(name))
  }

  line(outcome: Outcome, name: string, observation: string, milliseconds = 0): void {
    this.#names[outcome].push(name)
    const oneLine = observation.replace(/\s+/g, ' ').trim()
    printLine(`${outcome.padEnd(8)} ${name.padEnd(13)} ${oneLine} (${Math.round(milliseconds)} ms)`)
  }

  /**
   * Runs a step and prints its line. `work` returns a description for the line, and a result.
   * @throws errors thrown by `work`
   */
  async step<T>(name: string, work: () => Promise<[observation: string, result: T]>): Promise<T> {
    this.#stop.throwIfAborted()
    return this.lastStep(name, work)
  }

  /** Runs a step even if the run was interrupted. */
  async lastStep<T>(name: string, work: () => Promise<[observation: string, result: T]>): Promise<T> {
    const begunAt = performance.now()
    const end = (outcome: Outcome, observation: string) =>
      this.line(outcome, name, observation, performance.now() - begunAt)
    try {
      const [observation, result] = await work()
      end('ok', observation)
      return result
    } catch (error) {
      end(error instanceof SkippedStep ? 'skipped' : 'failed', (error as Error).message)
      throw error
    }
  }

  /** Prints the summary line. Returns true if no step failed. */
  close(): boolean {
    const { ok, failed, skipped } = this.#names
    const listNames = (names: string[]) => (names.length > 0 ? ` (${names.join(', ')})` : '')
    const seconds = ((performance.now() - this.#begunAt) / 1_000).toFixed(1)
    const counts = `${ok.length} ok, ${failed.length} failed${listNames(failed)}, ${skipped.length} skipped${listNames(skipped)}`
    printLine(`${counts}, in ${seconds} s`)
    return failed.length === 0
  }
}

/** Error for invalid input to the smoke test. The exit code is 2, and nothing was created. */
export class SmokeFailure extends Error {}

/**
 * Calls `poll` until it returns a result.
 * @throws Error with the message `missing` when the time has elapsed, or the reason of `stop`
 */
export async function until<T>(
  { stop, seconds, missing }: { stop: AbortSignal; seconds: number; missing: string },
  poll: () => Promise<T | null>,
): Promise<T> {
  const end = performance.now() + seconds * 1_000
  for (let pauseMs = 100; ; pauseMs = Math.min(5_000, pauseMs * 1.5)) {
    stop.throwIfAborted()
    const found = await poll()
    if (found !== null) return found
    if (performance.now() > end) throw new Error(`${missing} within ${seconds} s`)
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
