import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/run/longest-first.ts'
import { testTiers } from './test/support/run/tiers.ts'

const tiers = testTiers()
const seeds = 'test/support/run/seeds.ts'
const engine = 'test/support/run/engine.ts'

/** `npm test` runs plain and engine, `npm run test:long` long and proof (docs/CONTRIBUTING.md). */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'plain', include: tiers.plain, globalSetup: [seeds] } },
      { extends: true, test: { name: 'engine', include: tiers.engine, globalSetup: [seeds, engine] } },
      { extends: true, test: { name: 'proof', include: ['test/proof/*.proof.ts'], globalSetup: [seeds] } },
      { extends: true, test: { name: 'long', include: tiers.long, globalSetup: [seeds, engine] } },
    ],
    setupFiles: [
      'test/support/run/quiet-log.ts',
      'test/support/run/property-seed.ts',
      'test/support/run/end-of-file.ts',
    ],
    expect: { requireAssertions: true },
    // Keeps whole routes in titles.
    taskTitleValueFormatTruncate: 100,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { LOG_LEVEL: 'WARN' },
    // Reloading all modules for each file would cost a fifth of the run time.
    isolate: false,
    // Twice the cores of CI, since many long tests wait for a child process or a timer; `npm test` uses one less.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
