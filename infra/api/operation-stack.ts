import { CfnOutput, CfnParameter, NestedStack, Reference, Token, Tokenization } from 'aws-cdk-lib'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { callbackPath } from '#shared/domain/auth-providers/auth-provider.ts'
import type { Operation } from '#shared/http/operation.ts'
import { currentFunction, type FunctionDefaults } from '../functions/current-function.ts'
import { criticalOperations, shiftGradually } from '../functions/gradual-shift.ts'
import { reservationOf } from '../functions/reserved-concurrency.ts'
import type { Roles } from '../roles/roles.ts'
import type { Settings } from '../settings/settings.ts'
import type { ApiRoute } from './api-body.ts'
import { integrationUri, invokerRole } from './invoker-role.ts'
import { routeId, routeKeys, servedPath } from './route-id.ts'

/** Nested stack with the functions of one collection. Construct ids come from routes, so moving a file only updates its function's code. */
export class OperationStack extends NestedStack {
  readonly routes: ApiRoute[]

  constructor(
    scope: Construct,
    id: string,
    operations: OperationSource[],
    common: FunctionDefaults,
    roles: Roles,
    settings: Settings,
  ) {
    super(scope, id)
    this.nestedStackResource?.overrideLogicalId(id.replaceAll('-', ''))
    const defaults = this.#withParameters(common)
    const byId = Map.groupBy(operations, ({ operation }) => routeId(operation.method, servedPath(operation)))
    const functions = [...byId].map(([id, [first, ...others]]) => {
      if (!first || others.some(({ file }) => file !== first.file))
        throw new Error(`The function ${id} has many files.`)
      const { operation } = first
      const servedOperations = [operation, ...others.map((other) => other.operation)]
      const alias = currentFunction(this, id, defaults, first.file, {
        description:
          others.length === 0 ? operation.summary : `${operation.summary}, and ${others.length} similar operations`,
        role: selectRole(operation, servedOperations.some(returnsSecrets), roles),
        reservedConcurrentExecutions: reservationOf(operation, settings),
      })
      return { operations: servedOperations, id, alias }
    })
    const arns = functions.map(({ alias }) => alias.functionArn)
    const invokerArn = this.#output('InvokerArn', invokerRole(this, arns).roleArn)
    this.routes = functions.flatMap(({ operations, id, alias }) => {
      const uri = this.#output(`${id}Uri`, integrationUri(alias.functionArn))
      return operations.flatMap(routeKeys).map((key) => ({ key, uri, invokerArn }))
    })
    const shiftedFunctions = functions.flatMap(({ operations, id, alias }) =>
      operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((operation) => criticalOperations.has(operation))
        .map((operation) => ({ id, alias, operation })),
    )
    if (shiftedFunctions.length > 0 && settings.shift === 'canary')
      shiftGradually(this, shiftedFunctions, settings.stackName)
  }

  /** Replaces references in the environment and the log group with parameters that have short names, to keep the template small. */
  #withParameters({ environment, logGroup, ...rest }: FunctionDefaults): FunctionDefaults {
    const parameter = (name: string, value: string): string => {
      const newParameter = new CfnParameter(this, name)
      this.setParameter(newParameter.logicalId, value)
      return newParameter.valueAsString
    }
    const entries = Object.entries(environment).map(([name, value]): [string, string] => [
      name,
      Reference.isReference(Tokenization.reverse(value, { failConcat: false }))
        ? parameter(name.replaceAll('_', ''), value)
        : value,
    ])
    const logGroupName = parameter('LogGroupName', logGroup.logGroupName)
    return {
      ...rest,
      environment: Object.fromEntries(entries),
      logGroup: LogGroup.fromLogGroupName(this, 'Logs', logGroupName),
    }
  }

  /** Passes a value to the parent stack under a short output name. Names that the CDK generates contain the stack's name. */
  #output(name: string, value: string): string {
    new CfnOutput(this, name, { value })
    return Token.asString(this.nestedStackResource?.getAtt(`Outputs.${name}`))
  }
}

function selectRole(
  { method, path, credential = 'api', permission }: Operation,
  secrets: boolean,
  roles: Roles,
): IRole {
  if (path.endsWith('/jwks')) return roles.of.directoryKeys
  if (path.startsWith(callbackPath(null))) return roles.of.callback
  if (credential === 'none' || credential === 'portal') return roles.of.signIn
  if (credential !== 'api') return roles.of[credential]
  const reads = method === 'GET' || permission?.endsWith(':read')
  if (!reads) return roles.of.writer
  return secrets ? roles.of.secretReader : roles.of.reader
}

/** True for the configuration and devices under `/v0`, whose responses contain secrets (`/v0` contract, 10.1, 12.4). */
const returnsSecrets = ({ path }: Operation): boolean => /^\/v0\/(devices|configuration)\b/.test(path)
