import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files in starting order. Files that read the whole table come first, because the table grows with each test. The others are sorted
 * from slow to fast.
 */
const longest = [
  'row-check/rows-and-commits',
  'row-check/changed-rows',
  'walk/walk-directories.long',
  'laws/fuzz.long',
  'local/start-again.long',
  'simulation/access.long',
  'smoke/smoke.long',
  'access/many-clients.long',
  'access/grant-races.long',
  'lambda/kill-while-streaming.long',
  'flows/load.long',
  'laws/bounds.long',
  'follow-up/follow-up.long',
  'docs/table.long',
  'infra/recorded-rights.long',
  'laws/samples.long',
  'docs/costs.long',
  'bench/access/access.long',
  'laws/single-scopes.long',
  'local/serve',
  'simulation/access',
  'laws/fuzz',
  'infra/bundle',
  'schedules/delete-due-accounts',
  'gateway-sessions/revocation',
  'laws/old-rows',
  'laws/v0',
  'laws/registry',
  'client-sessions/list-session-resources',
  'users/hash-password',
  'streams/store-flow-logs-faults',
  'streams/write-change-log-faults',
  'logs/flow-windows.property',
  'infra/rights',
  'infra/installs',
]

/** Runs the longest files first, so that no long file runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.includes(`/${name}.`))
    const sorted = await super.sort(files)
    return [
      ...longest.flatMap((_, i) => sorted.filter((file) => rank(file) === i)),
      ...sorted.filter((file) => rank(file) < 0),
    ]
  }
}
