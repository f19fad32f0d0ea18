import { ArnFormat, Fn, Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Settings } from './settings.ts'

/** Length to which CloudFormation truncates a stack's name in the names that it generates. */
const maxStackName = 20

/**
 * Pattern for the start of names that CloudFormation generates in the stacks of a deployment. It can match names of another deployment only
 * if the stack's name is longer than 20 characters, because it is truncated then.
 */
export const namePrefix = ({ stackName }: Pick<Settings, 'stackName'>): string =>
  stackName.length <= maxStackName ? `${stackName}-` : `${stackName.slice(0, maxStackName)}*`

/** First eight characters of the UUID in a stack's ID, which differ for each stack ever created. */
export const stackIdSuffix = ({ stackId }: Stack): string =>
  Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))

/** Returns the ARN of a resource such as `function:name`, by default in the account and region of the scope's stack. */
export const arnOf = (
  scope: IConstruct,
  service: string,
  resource: string,
  location: { region?: string; account?: string } = {},
): string => Stack.of(scope).formatArn({ service, resource, ...location, arnFormat: ArnFormat.NO_RESOURCE_NAME })
