import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'simulation/access',
  'laws/fuzz',
  'laws/bounds',
  'shared/cascades/cascade',
  'local/serve',
  'local/kill-while-streaming',
  'docs/table',
  'laws/samples',
  'docs/costs',
  'bench/access',
  'schedules/delete-due-accounts',
]

/** The longest files first, so that none is left to run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.includes(`/${name}.`))
    const sorted = await super.sort(files)
    return [
      ...longest.flatMap((_, i) => sorted.filter((file) => rank(file) === i)),
      ...sorted.filter((file) => rank(file) < 0),
    ]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/engine.ts'],
    setupFiles: ['test/support/end-of-file.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { LOG_LEVEL: 'WARN' },
    // Loading the same modules again for each file would take as long as a fifth of the tests.
    isolate: false,
    // Twice the cores that CI has, as many tests wait for an engine, a child process or a timer.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
