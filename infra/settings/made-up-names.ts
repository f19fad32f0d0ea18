import { ArnFormat, Fn, Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Settings } from './settings.ts'

/** Length to which CloudFormation cuts a stack's name in the names that it makes up. */
const maxStackName = 20

/**
 * Pattern of the beginning of names that CloudFormation makes up in the stacks of a deployment. It matches names of another install only
 * where the stack's name is so long that it is cut.
 */
export const madeUpNames = ({ stackName }: Pick<Settings, 'stackName'>): string =>
  stackName.length <= maxStackName ? `${stackName}-` : `${stackName.slice(0, maxStackName)}*`

/** Eight characters that no stack had before or will have: the beginning of the UUID at the end of its id. */
export const stackIdSuffix = ({ stackId }: Stack): string =>
  Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))

/** ARN of a resource (`function:name`) in account and region of the scope's stack, unless these are given. */
export const arnOf = (
  scope: IConstruct,
  service: string,
  resource: string,
  place: { region?: string; account?: string } = {},
): string => Stack.of(scope).formatArn({ service, resource, ...place, arnFormat: ArnFormat.NO_RESOURCE_NAME })
