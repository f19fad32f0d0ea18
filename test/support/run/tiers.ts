import { importsOf, sourcesBelow } from './imports.ts'

/** What a test that needs the engines reaches: the table, the flow stream, or the engines themselves. */
const engines = ['shared/table/table.ts', 'shared/logs/flows/flow-stream.ts', 'infra/local/engines/start-engines.ts']

/**
 * The test files by what they need, which each tells by its name or by what it imports: `plain` start without engines,
 * pure rules above all, `engine` share one of each kind, `long` take minutes.
 */
export function testTiers(): { plain: string[]; engine: string[]; long: string[] } {
  const sources = new Map(['test', 'functions', 'shared', 'infra'].flatMap((folder) => [...sourcesBelow(folder)]))
  const reached = new Map<string, boolean>()
  const needsEngines = (file: string): boolean => {
    const known = reached.get(file)
    if (known !== undefined) return known
    // While it is looked at, a file that leads back to it adds nothing.
    reached.set(file, false)
    const needs = engines.includes(file) || importsOf(file, sources.get(file) ?? '').some(needsEngines)
    reached.set(file, needs)
    return needs
  }
  const tests = [...sources.keys()].filter((file) => file.endsWith('.test.ts'))
  const long = tests.filter((file) => file.endsWith('.long.test.ts'))
  const [engine, plain] = [true, false].map((needed) =>
    tests.filter((file) => !long.includes(file) && needsEngines(file) === needed),
  ) as [string[], string[]]
  return { plain, engine, long }
}
