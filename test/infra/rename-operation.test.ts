import { expect, it } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { routeId } from '#infra/api/route-id.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const some = (await loadOperations()).filter(({ operation }) => /^\/(groups|v0\/rules)/.test(operation.path))

/** Properties that depend on a function's code: its location, and the URL of the nested template. */
const ofCode = new Set(['Handler', 'Code', 'TemplateURL'])

/** Matches the hash of the code at the end of a version's id, and in a function's description. */
const hashes = /(?<=Version[0-9A-F]{8})[0-9a-f]{32}|(?<=\[)[0-9a-f]{8}(?=\])/g

async function withoutCode(operations: OperationSource[]) {
  const { stacks } = await templatesOf(operations)
  return JSON.parse(JSON.stringify(stacks).replace(hashes, ''), (name, value) => (ofCode.has(name) ? undefined : value))
}

it('changes only the code of its function when its file is renamed or moved', async () => {
  const renamed = some.map((source, i) => ({ ...source, file: `api/elsewhere-${i % 3}/called-${i}.ts` }))
  expect(await withoutCode(renamed)).toEqual(await withoutCode(some))
  const handlers = (await templatesOf(renamed)).all('AWS::Lambda::Function').map(({ Properties }) => Properties.Handler)
  expect(handlers).toContain('api/elsewhere-0/called-0.handler')
})

it('changes nothing else when an operation is added', async () => {
  const [one, ...others] = some as [OperationSource, ...OperationSource[]]
  const added: OperationSource = { ...one, operation: { ...one.operation, path: '/groups/{id}/added' } }
  const before = (await templatesOf(some)).resources.flatMap((stack) => Object.keys(stack))
  const after = (await templatesOf([added, one, ...others])).resources.flatMap((stack) => Object.keys(stack))
  expect(before.filter((id) => !after.includes(id))).toEqual([])
  const own = routeId(one.operation.method, '/groups/{id}/added')
  const made = after.filter((id) => !before.includes(id))
  expect(made.length).toBeGreaterThan(0)
  expect(made.filter((id) => !id.startsWith(own))).toEqual([])
})
