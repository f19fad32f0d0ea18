import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { processesOn } from '#test/support/service/service.ts'
import { countingVariables, measureCounts } from './counts.ts'
import { type RunningServices, startNpmService } from './npm-service.ts'
import { measureTimes } from './times.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sizes = { listed: 60, requests: 5, rounds: 1, idleSeconds: 1 }

it('measures each line of a service, and ends all its processes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'one-machine-test-'))
  const [dir, counted] = [join(directory, 'data'), join(directory, 'counts')]
  mkdirSync(counted)
  const running: RunningServices = new Set()
  try {
    const service = await startNpmService({ root, dir, variables: countingVariables(counted), running })
    const { lines, groups, actors } = await measureTimes({ base: service, now: service }, sizes)
    const [groupId = ''] = groups.now
    const counts = await measureCounts(service, counted, { groupId, actorIds: actors.now }, sizes)
    for (const [name, figure] of Object.entries({ ...lines.base, ...lines.now, ...counts }))
      if (name.includes('idle')) expect(figure, name).toBeGreaterThanOrEqual(0)
      else expect(figure, name).toBeGreaterThan(0)
  } finally {
    await Promise.all([...running].map((stop) => stop()))
    rmSync(directory, { recursive: true, force: true })
  }
  expect(processesOn(dir)).toEqual([])
}, 300_000)
