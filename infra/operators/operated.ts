import { ArnFormat, Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Consumers } from '../functions/consumers.ts'
import type { TaskCaller } from '../functions/tasks.ts'
import { madeUpNames } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

/** Parts of a deployment that people operate. */
export type Operated = {
  settings: Settings
  storage: Storage
  logGroups: ILogGroup[]
  consumers: Consumers
  /** ARNs of what operators invoke, by who may. */
  tasks: Record<TaskCaller, string[]>
  apiIds: string[]
  alarmTopicArn: string
}

/** Grants actions on resources; on `*` where the actions know none. */
export const may = (actions: string[], resources: string[] = ['*'], conditions?: Record<string, unknown>) =>
  new PolicyStatement({ actions, resources, ...(conditions && { conditions }) })

export const mayNot = (actions: string[], resources: string[]) =>
  new PolicyStatement({ effect: Effect.DENY, actions, resources })

/** ARNs of the deployment's resources by the beginnings of their names, which CloudFormation makes up. */
export function ownArns(scope: Construct, settings: Settings) {
  const stack = Stack.of(scope)
  const own = `${madeUpNames(settings)}*`
  const arn = (service: string, resource: string, resourceName: string, arnFormat: ArnFormat) =>
    stack.formatArn({ service, resource, resourceName, arnFormat })
  const { COLON_RESOURCE_NAME, SLASH_RESOURCE_NAME, NO_RESOURCE_NAME } = ArnFormat
  return {
    functions: arn('lambda', 'function', own, COLON_RESOURCE_NAME),
    mappings: arn('lambda', 'event-source-mapping', '*', COLON_RESOURCE_NAME),
    rules: arn('events', 'rule', own, SLASH_RESOURCE_NAME),
    alarms: arn('cloudwatch', 'alarm', own, COLON_RESOURCE_NAME),
    deployments: arn('codedeploy', 'deploymentgroup', `${own}/*`, COLON_RESOURCE_NAME),
    tables: arn('dynamodb', 'table', own, SLASH_RESOURCE_NAME),
    stacks: ['/', '-'].map((end) =>
      arn('cloudformation', 'stack', `${settings.stackName}${end}*`, SLASH_RESOURCE_NAME),
    ),
    api: (id: string, part: string) =>
      stack.formatArn({
        service: 'apigateway',
        account: '',
        resource: `/apis/${id}${part}`,
        arnFormat: NO_RESOURCE_NAME,
      }),
  }
}

/** The condition that a mapping feeds a consumer of the deployment, at whatever version. */
export const feedsConsumer = ({ streams }: Consumers) => ({
  ArnLike: {
    'lambda:FunctionArn': streams.flatMap(({ consumer: { functionArn } }) => [functionArn, `${functionArn}:*`]),
  },
})
