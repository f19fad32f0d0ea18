import { CfnOutput, CfnParameter, NestedStack, Reference, Token, Tokenization } from 'aws-cdk-lib'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { callbackPath } from '#shared/domain/auth-providers/auth-provider.ts'
import type { Operation } from '#shared/http/operation.ts'
import { currentFunction, type Shared } from '../functions/current-function.ts'
import { carryingRoutes, shiftGradually } from '../functions/gradual-shift.ts'
import { reservedOf } from '../functions/reserved.ts'
import type { Roles } from '../roles/roles.ts'
import type { Settings } from '../settings/settings.ts'
import type { ApiRoute } from './api-body.ts'
import { integrationUri, invokerRole } from './invoker-role.ts'
import { routeId, routeKeys, servedPath } from './route-id.ts'

/**
 * The functions of one collection. Ids and the stack itself follow from the routes, never from where a file lies: a file
 * that is moved or renamed changes nothing but its function's code.
 */
export class OperationStack extends NestedStack {
  readonly routes: ApiRoute[]

  constructor(
    scope: Construct,
    id: string,
    operations: OperationSource[],
    given: Shared,
    roles: Roles,
    settings: Settings,
  ) {
    super(scope, id)
    this.nestedStackResource?.overrideLogicalId(id.replaceAll('-', ''))
    const shared = this.#parametrized(given)
    const byId = Map.groupBy(operations, ({ operation }) => routeId(operation.method, servedPath(operation)))
    const functions = [...byId].map(([id, [first, ...others]]) => {
      if (!first || others.some(({ file }) => file !== first.file))
        throw new Error(`The function ${id} has many files.`)
      const { operation } = first
      const alike = [operation, ...others.map((other) => other.operation)]
      const alias = currentFunction(this, id, shared, first.file, {
        description: others.length === 0 ? operation.summary : `${operation.summary}, and ${others.length} alike`,
        role: roleOf(operation, alike.some(showsSecrets), roles),
        reservedConcurrentExecutions: reservedOf(operation, settings),
      })
      return { operations: alike, id, alias }
    })
    const arns = functions.map(({ alias }) => alias.functionArn)
    const invokerArn = this.#output('InvokerArn', invokerRole(this, arns).roleArn)
    this.routes = functions.flatMap(({ operations, id, alias }) => {
      const uri = this.#output(`${id}Uri`, integrationUri(alias.functionArn))
      return operations.flatMap(routeKeys).map((key) => ({ key, uri, invokerArn }))
    })
    const shifted = functions.flatMap(({ operations, id, alias }) =>
      operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((operation) => carryingRoutes.has(operation))
        .map((operation) => ({ id, alias, operation })),
    )
    if (shifted.length > 0 && settings.shift === 'canary') shiftGradually(this, shifted, settings.stackName)
  }

  /** Passes references among these settings as parameters with short names. */
  #parametrized({ environment, logGroup, ...rest }: Shared): Shared {
    const parameter = (name: string, value: string): string => {
      const made = new CfnParameter(this, name)
      this.setParameter(made.logicalId, value)
      return made.valueAsString
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

  /** Passes a value to the parent stack by an output with a short name. The CDK's own names begin with the name of the stack. */
  #output(name: string, value: string): string {
    new CfnOutput(this, name, { value })
    return Token.asString(this.nestedStackResource?.getAtt(`Outputs.${name}`))
  }
}

/** Each kind of device has a role of its own, and so have sign-in and the callbacks of providers; of the account API, reads cannot write, and everything else changes data. */
function roleOf({ method, path, credential = 'api', permission }: Operation, ofSecrets: boolean, roles: Roles): IRole {
  if (path.endsWith('/jwks')) return roles.of.directoryKeys
  if (path.startsWith(callbackPath(null))) return roles.of.callback
  if (credential === 'none' || credential === 'portal') return roles.of.signIn
  if (credential !== 'api') return roles.of[credential]
  const reads = method === 'GET' || permission?.endsWith(':read')
  if (!reads) return roles.of.writer
  return ofSecrets ? roles.of.secretReader : roles.of.reader
}

/** True for an operation that shows secrets (`/v0` contract, 10.1, 12.4). */
const showsSecrets = ({ path }: Operation): boolean => /^\/v0\/(devices|configuration)\b/.test(path)
