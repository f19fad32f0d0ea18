import type { Alias } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { ConsumedStream } from '../functions/consumers.ts'
import { arnOf, namePrefix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

export type OperatedParts = {
  settings: Settings
  storage: Storage
  logGroups: ILogGroup[]
  streams: ConsumedStream[]
  tasks: Record<string, Alias>
  apiIds: string[]
  alarmTopicArn: string
}

/** Tasks that only the break-glass policy allows, because they create administrators, begin a sealed log or erase log entries. */
const decisiveTasks = ['BeginSealedLog', 'EraseActor', 'ProvisionAccount']

export const tasksOf = ({ tasks }: OperatedParts, isDecisive: boolean): string[] =>
  Object.entries(tasks)
    .filter(([name]) => decisiveTasks.includes(name) === isDecisive)
    .map(([, { functionArn }]) => functionArn)

/** Builds ARN patterns for the deployment's resources from the prefix of the names that CloudFormation generates. */
export function resourceArns(scope: Construct, settings: Settings) {
  const namePattern = `${namePrefix(settings)}*`
  return {
    functions: arnOf(scope, 'lambda', `function:${namePattern}`),
    mappings: arnOf(scope, 'lambda', 'event-source-mapping:*'),
    rules: arnOf(scope, 'events', `rule/${namePattern}`),
    alarms: arnOf(scope, 'cloudwatch', `alarm:${namePattern}`),
    deployments: arnOf(scope, 'codedeploy', `deploymentgroup:${namePattern}/*`),
    tables: arnOf(scope, 'dynamodb', `table/${namePattern}`),
    stacks: ['/', '-'].map((end) => arnOf(scope, 'cloudformation', `stack/${settings.stackName}${end}*`)),
    api: (id: string, part: string) => arnOf(scope, 'apigateway', `/apis/${id}${part}`, { account: '' }),
  }
}
