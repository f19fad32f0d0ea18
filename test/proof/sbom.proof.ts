import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, expect, it } from 'vitest'

const directory = await mkdtemp(join(tmpdir(), 'sbom-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

it('is a bill of materials that matches the schema of CycloneDX', async () => {
  const file = join(directory, 'sbom.json')
  await promisify(execFile)(process.execPath, ['infra/code/write-sbom.ts', file])
  const text = await readFile(file, 'utf8')
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5)
  expect(await validator.validate(text)).toBeNull()
  expect(await validator.validate(text.replace('"bomFormat"', '"format"'))).not.toBeNull()
})
