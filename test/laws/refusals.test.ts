import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { listErrorCodes } from '#infra/openapi/errors.ts'
import { type ErrorCode, errorCodes } from '#shared/core/errors.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

/**
 * Laws of refusals: an operation declares exactly the error codes that its handler or store can throw. The laws follow names from the
 * handler through all modules except the pipeline, whose codes `listErrorCodes` lists.
 */

type Names = Map<string, { file: string; name: string }>
type Module = { imports: Names; declarations: Map<string, string> }

const declaration = /^(?:export )?(?:async )?(?:const|let|function\*?|class|type) (\w+)/gm
const importOf = /^import (?!type)(?:\{([^}]*)\}|\* as (\w+)) from '([^']+)'/gm

function importsOf(file: string, text: string): Names {
  const imports: Names = new Map()
  for (const [, names, space, from = ''] of text.matchAll(importOf)) {
    const target = from.startsWith('#') ? from.slice(1) : join(file, '..', from)
    if (space !== undefined) imports.set(space, { file: target, name: '*' })
    for (const part of (names ?? '').split(',').map((name) => name.trim())) {
      const [name = '', as = name] = part.split(' as ')
      if (name !== '' && !name.startsWith('type ')) imports.set(as, { file: target, name })
    }
  }
  return imports
}

function readModule(file: string): Module {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\brefusals: \[[^\]]*\]/gm, '')
  const starts = [...text.matchAll(declaration)]
  const declarations = starts.map(
    ({ 1: name = '', index }, i) => [name, text.slice(index, starts[i + 1]?.index)] as const,
  )
  return { imports: importsOf(file, text), declarations: new Map(declarations) }
}

/** Modules that the search does not follow, because their codes apply to every operation. */
const common = ['shared/http/lambda.ts', 'shared/core/faults.ts']
const modules = new Map(
  ['functions', 'shared']
    .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => `${root}/${file}`))
    .filter((file) => file.endsWith('.ts') && !common.includes(file))
    .map((file) => [file, readModule(file)]),
)

/**
 * Returns the error codes that a handler reaches: those that it throws (`thrown`), and those that it only mentions, for example as a reason
 * (`named`).
 */
function reachedFrom(file: string): { thrown: Set<ErrorCode>; named: Set<ErrorCode> } {
  const thrown = new Set<ErrorCode>()
  const named = new Set<ErrorCode>()
  const visited = new Set<string>()
  const todo = [{ file, name: 'handler' }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { imports, declarations } = modules.get(next.file) ?? {}
    const text = declarations?.get(next.name)
    const key = `${next.file}#${next.name}`
    if (text === undefined || visited.has(key) || key.startsWith('shared/core/errors.ts#ApiError')) continue
    visited.add(key)
    for (const [, code] of text.matchAll(/new ApiError\(\s*'(\w+)'/g)) thrown.add(code as ErrorCode)
    for (const [, code = ''] of text.matchAll(/'(\w+)'/g)) if (code in errorCodes) named.add(code as ErrorCode)
    for (const [, name = '', member = ''] of text
      .replace(/'[^'\n]*'/g, '')
      .matchAll(/(?<![.\w])([A-Za-z_]\w*)(?:\.(\w+))?/g)) {
      const target = imports?.get(name)
      if (target) todo.push({ ...target, name: target.name === '*' ? member : target.name })
      else if (declarations?.has(name)) todo.push({ file: next.file, name })
    }
  }
  return { thrown, named }
}

const operations = (await loadEntries())
  .filter(({ operation }) => !isV0(operation.path))
  .map(({ name, operation, file }) => ({ name, operation, file, ...reachedFrom(`functions/${file}`) }))

/**
 * Codes that the search reaches by name but that these handlers never throw. Reading runs does not start one, and a preview does not need
 * an enabled source.
 */
const ruledOut: Record<string, ErrorCode[]> = {
  'api/sync-sources/list-runs.ts': ['sync_disabled', 'sync_running', 'feature_not_enabled'],
  'api/sync-sources/get-run.ts': ['sync_disabled', 'sync_running', 'feature_not_enabled'],
  'api/sync-sources/list-run-changes.ts': ['sync_disabled', 'sync_running', 'feature_not_enabled'],
  'api/sync-sources/preview.ts': ['sync_disabled'],
}

describe('refusals', () => {
  it('contain only codes that something can throw', () => {
    const unused = operations.flatMap(({ name, operation, named }) =>
      (operation.refusals ?? []).filter((code) => !named.has(code)).map((code) => `${name}: ${code}`),
    )
    expect(unused).toEqual([])
  })

  it('contain every thrown code', () => {
    const undeclared = operations.flatMap(({ name, operation, file, thrown }) => {
      const known: ErrorCode[] = [...listErrorCodes(operation), ...(ruledOut[file] ?? [])]
      return [...thrown]
        .filter((code) => !('generic' in errorCodes[code]) && !known.includes(code))
        .map((code) => `${name}: ${code}`)
    })
    expect(undeclared).toEqual([])
  })

  it('are ruled out only if a name reaches them', () => {
    const stale = Object.entries(ruledOut).flatMap(([file, codes]) =>
      codes.filter((code) => !operations.some((one) => one.file === file && one.thrown.has(code))),
    )
    expect(stale).toEqual([])
  })
})
