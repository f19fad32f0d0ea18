import { setTimeout as sleep } from 'node:timers/promises'
import type { Wake } from '../pollers/wake.ts'
import type { Runtime } from '../runtime.ts'
import type { Schedule } from '../template/schedule.ts'

type Schedules = { stop(): Promise<void> }

/** Invokes each function by the clock. A run that takes longer than its interval takes the next one's place. */
export function startSchedules(schedules: Schedule[], runtime: Runtime, wake: Wake): Schedules {
  const running = new Map<string, Promise<void>>()
  const run = async (functionArn: string) => {
    try {
      await runtime.invoke(functionArn, { source: 'aws.events', 'detail-type': 'Scheduled Event' })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      process.stderr.write(`${runtime.label(functionArn)}: ${reason}\n`)
    } finally {
      running.delete(functionArn)
      wake.written()
    }
  }
  const timers = schedules.map(({ functionArn, seconds }) =>
    setInterval(() => {
      if (!running.has(functionArn)) running.set(functionArn, run(functionArn))
    }, seconds * 1_000),
  )
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.race([Promise.all(running.values()), sleep(5_000, undefined, { ref: false })])
    },
  }
}
