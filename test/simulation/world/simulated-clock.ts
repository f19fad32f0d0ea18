import { clock } from '#shared/core/clock.ts'
import { replaceMethod } from './replace-method.ts'

/** Controls the service's clock. Each reading advances the clock by a microsecond, and tests can make it jump. */
export class SimulatedClock {
  private micros: number

  constructor(start: string) {
    this.micros = Date.parse(start) * 1000
    replaceMethod(clock, 'now', () => ++this.micros)
  }

  get now(): number {
    return this.micros
  }

  get second(): number {
    return Math.floor(this.micros / 1_000_000)
  }

  jumpTo(second: number): void {
    if (second <= this.second) throw new Error('Time does not go back.')
    this.micros = second * 1_000_000
  }
}
