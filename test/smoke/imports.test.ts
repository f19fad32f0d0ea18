import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'

/** Modules of pure functions that the smoke test may import: the verifiers of the sealed log and a JSON type check. */
const pure = [
  'shared/core/json/is-object.ts',
  'shared/seal/log/canonical-json.ts',
  'shared/seal/log/sealed-log.ts',
  'shared/seal/merkle/merkle-proof.ts',
  'shared/seal/merkle/merkle-proof.ts',
  'shared/seal/notes/checkpoint.ts',
  'shared/seal/notes/signed-note.ts',
]

it('the smoke test uses the public API, and imports only pure functions of the service', () => {
  const targets = [...sourcesBelow('infra/smoke')].flatMap(([file, text]) => importsOf(file, text))
  expect(targets).toContain('docs/examples/service.ts')
  const others = targets.filter((target) => !/^(infra\/smoke|docs\/examples)\//.test(target) && !pure.includes(target))
  expect(others).toEqual([])
})
