import { importsOf, sourcesBelow } from './imports.ts'

/** Modules that make a test an `engine` test if it imports them directly or indirectly. */
const engines = ['shared/table/table.ts', 'shared/logs/flows/flow-stream.ts', 'infra/local/engines/start-engines.ts']

/**
 * Sorts the test files by their name and imports: `plain` tests need no engines, `engine` tests share one engine of
 * each kind, `long` tests take minutes.
 */
export function testTiers(): { plain: string[]; engine: string[]; long: string[] } {
  const sources = new Map(['test', 'functions', 'shared', 'infra'].flatMap((folder) => [...sourcesBelow(folder)]))
  const reached = new Map<string, boolean>()
  const needsEngines = (file: string): boolean => {
    const cached = reached.get(file)
    if (cached !== undefined) return cached
    // Marks the file as visited before following its imports, so that import cycles terminate.
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
