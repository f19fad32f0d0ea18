import { ArnFormat, Fn, Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Settings } from './settings.ts'

/** Length to which CloudFormation truncates a stack's name in the names that it generates. */
const maxStackName = 20

/**
 * Pattern for the beginning of names that CloudFormation generates in a deployment's stacks. The pattern can match names of a different
 * deployment only if the stack's name is truncated because it exceeds 20 characters.
 */
export const namePrefix = ({ stackName }: Pick<Settings, 'stackName'>): string =>
  stackName.length <= maxStackName ? `${stackName}-` : `${stackName.slice(0, maxStackName)}*`

/** First eight characters of the UUID in a stack's ID. They differ for every stack that is ever created. */
export const stackIdSuffix = ({ stackId }: Stack): string =>
  Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))

/** Returns the ARN of a resource such as `function:name`, by default in the account and region of the scope's stack. */
export const arnOf = (
  scope: IConstruct,
  service: string,
  resource: string,
  location: { region?: string; account?: string } = {},
): string => Stack.of(scope).formatArn({ service, resource, ...location, arnFormat: ArnFormat.NO_RESOURCE_NAME })
