import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, as their CPU and their waits were at last: those of minutes, those that start the service,
 * whose workers are of another project than the rest, and those of some seconds.
 */
const longest = [
  'walk/walk-directories.long',
  'laws/fuzz.long',
  'local/start-again.long',
  'simulation/access.long',
  'authorizations/many-clients.long',
  'authorizations/grant-races.long',
  'local/kill-while-streaming.long',
  'bench/load.long',
  'laws/bounds.long',
  'cascades/cascade.long',
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

/** The longest files first, so that none is left to run alone at the end. */
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
