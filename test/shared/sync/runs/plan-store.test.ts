import { expect, it } from 'vitest'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { discardPlan, PlanReader, PlanWriter } from '#shared/sync/runs/plan.ts'
import { type Run, runChange } from '#shared/sync/runs/run.ts'
import type { RunWork } from '#shared/sync/runs/run-work.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'

const newRun = () => {
  const now = clock.now()
  return { account_id: uuidV7(now), id: uuidV7(now), started_at: timestamp(now) } as Run
}

async function write(run: Run, entries: string[]): Promise<void> {
  const plan = { users: (name: string) => runChange('users', name, null, {}) }
  const writer = new PlanWriter<{ users: string }>({ run, isSaveDue: false } as RunWork, plan, ['users'])
  for (const entry of entries) await writer.add('users', entry)
  const counts = { users: { insert: entries.length, update: 0, delete: 0 } }
  expect(await writer.end()).toEqual({ sections: { users: entries.length }, counts })
}

it('contains nothing of an unfinished earlier plan with other page boundaries', async () => {
  const run = newRun()
  await write(
    run,
    Array.from({ length: 1_200 }, (_, i) => `before ${i}`),
  )
  await discardPlan(run)
  // Writes larger entries than before, which moves the page boundaries.
  const entries = Array.from({ length: 800 }, (_, i) => `now ${i} `.padEnd(1_000, '.'))
  await write(run, entries)
  for (const at of [0, 299, 450, 501, 640, 799]) {
    const [entry] = await new PlanReader(run).read<string>(0, at, 1)
    expect(entry).toBe(entries[at])
  }
})

it('stores names with three bytes per character that hardly compress', async () => {
  const run = newRun()
  const random = new SeededRandom(1)
  const character = () => String.fromCharCode(0x4e00 + random.int(0, 20_000))
  const entries = Array.from({ length: 400 }, () => Array.from({ length: 900 }, character).join(''))
  await write(run, entries)
  const [last] = await new PlanReader(run).read<string>(0, 399, 1)
  expect(last).toBe(entries[399])
})
