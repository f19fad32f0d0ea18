import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'authorizations/many-clients.long',
  'walk/walk-directories.long',
  'local/start-again.long',
  'authorizations/grant-races.long',
  'simulation/access.long',
  'local/kill-while-streaming.long',
  'laws/fuzz.long',
  'bench/load.long',
  'simulation/access',
  'laws/fuzz',
  'laws/bounds',
  'jobs/cascades/cascade',
  'local/serve',
  'docs/table',
  'infra/recorded-rights',
  'laws/samples',
  'docs/costs',
  'bench/access',
  'schedules/delete-due-accounts',
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
