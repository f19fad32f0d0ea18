import { Duration } from 'aws-cdk-lib'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Duty } from '../roles/duties.ts'
import { may } from '../roles/may.ts'
import type { Roles } from '../roles/roles.ts'
import type { ConsumedStream } from './consumers.ts'
import { currentFunction, type FunctionDefaults, fileOf } from './current-function.ts'

/** Functions that operators invoke with IAM permissions (docs/runbooks), each with its duty. */
const tasks = {
  RedriveFailedBatches: 'redrive',
  VerifyChangeLog: 'verify',
  VerifyRows: 'verifyRows',
  VerifyArchive: 'verifyArchive',
  ArchiveStatus: 'verifyArchive',
  EraseActor: 'eraseActor',
  ReplayCommits: 'replay',
  RollBack: 'rollBack',
  // Needs the permissions of the sealing function, because the task also seals the log that it begins.
  BeginSealedLog: 'seal',
  // Needs the permissions of the consumer that writes the index.
  IndexNames: 'writeChangeLog',
} satisfies Record<string, Duty>

export function addTasks(
  scope: Construct,
  streams: ConsumedStream[],
  roles: Roles,
  defaults: FunctionDefaults,
): Record<string, Alias> {
  const tasksScope = new Construct(scope, 'Tasks')
  for (const role of [roles.of.redrive, roles.of.replay]) {
    const consumers = streams.map(({ alias }) => alias.functionArn)
    role.addToPolicy(may(['lambda:InvokeFunction'], consumers))
  }
  const aliases = Object.entries(tasks).map(([name, duty]) => {
    const properties = { role: roles.of[duty], timeout: Duration.minutes(15) }
    return [name, currentFunction(tasksScope, name, defaults, `tasks/${fileOf(name)}`, properties)]
  })
  return Object.fromEntries(aliases)
}
