import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openControl, runByControl } from '#infra/local/control.ts'
import { type Dynoxide, findDynoxide, startDynoxide } from '#infra/local/engines/dynoxide.ts'

/** Data directory, and a copy made while the service runs, as a backup does. */
let dir: string
let copy: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'copied-'))
  copy = `${dir}-copy`
})
const engines: Dynoxide[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()))
  for (const path of [dir, copy]) rmSync(path, { recursive: true, force: true })
})

async function start(on: string): Promise<Dynoxide> {
  const engine = await startDynoxide(findDynoxide(), on)
  engines.push(engine)
  return engine
}
const answers = async (endpoint: string) => (await fetch(endpoint)).headers.has('x-dynoxide-version')

it('does not end the engine of the original directory', async () => {
  const engine = await start(dir)
  cpSync(dir, copy, { recursive: true })
  const other = await start(copy)
  expect([await answers(engine.endpoint), await answers(other.endpoint)]).toEqual([true, true])
  // Expects that a second start on the same directory ends the first engine.
  const next = await start(dir)
  await engine.exited
  expect(await answers(next.endpoint)).toBe(true)
})

it('sends no command to the service of the original directory', async () => {
  const tasks: string[] = []
  const control = await openControl(dir, async (task) => tasks.push(task))
  try {
    cpSync(dir, copy, { recursive: true })
    expect(await runByControl(copy, 'verify-rows', {})).toBeUndefined()
    expect(tasks).toEqual([])
    expect(await runByControl(dir, 'verify-rows', {})).toBe(1)
  } finally {
    await control.close()
  }
})
