import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'
import { bundle } from '#infra/code/bundle.ts'

it('produces equal templates from equal code, wherever it is bundled', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'templates-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const code = join(directory, 'code')
  await bundle(await loadOperations(), code)
  const templates = async (name: string, options = {}) => {
    const assembly = (await buildApp({ outdir: join(directory, name), ...options })).synth()
    return assembly.stacks.map(({ template }) => template)
  }
  expect(await templates('first')).toEqual(await templates('second', { code }))
})
