import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'simulation/access',
  'laws/fuzz',
  'shared/cascades/cascade',
  'local/serve',
  'local/kill-while-streaming',
]

/** The longest files first, so that none is left to run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.includes(`test/${name}.`))
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
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { LOG_LEVEL: 'WARN' },
    // One more than the cores that CI has, as many tests wait for a child process or a timer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
})
