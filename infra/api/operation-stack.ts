import { CfnOutput, CfnParameter, NestedStack, Reference, Token, Tokenization } from 'aws-cdk-lib'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { sealedRows } from '#shared/jobs/secret-rotation/sealed-rows.ts'
import { functionSettings, type Shared } from '../functions/function-settings.ts'
import { carryingRoutes, GradualShift } from '../functions/gradual-shift.ts'
import { live } from '../functions/live.ts'
import { reservedOf } from '../functions/reserved.ts'
import type { Roles } from '../roles/roles.ts'
import type { Settings } from '../settings/settings.ts'
import type { ApiRoute } from './api-body.ts'
import { integrationUri } from './integration-uri.ts'
import { invokerRole } from './invoker-role.ts'
import { collectionOf, routeId, routeKeys } from './route-id.ts'

type Props = {
  operations: OperationSource[]
  code: string
  shared: Shared
  roles: Roles
  settings: Settings
}

/**
 * The functions of one collection. Ids and the stack itself follow from the routes, never from where a file lies: a file
 * that is moved or renamed changes nothing but its function's code.
 */
export class OperationStack extends NestedStack {
  readonly routes: ApiRoute[]

  constructor(scope: Construct, id: string, { operations, code, shared: given, roles, settings }: Props) {
    super(scope, id)
    this.nestedStackResource?.overrideLogicalId(id.replaceAll('-', ''))
    const shared = this.#parametrized(given)
    const asset = Code.fromAsset(code)
    const functions = operations.map(({ operation, file }) => ({
      operation,
      id: routeId(operation.method, operation.path),
      lambda: live(
        new LambdaFunction(this, routeId(operation.method, operation.path), {
          ...functionSettings(shared, asset, file),
          description: operation.summary,
          role: roleOf(operation, roles),
          reservedConcurrentExecutions: reservedOf(operation, settings),
        }),
        shared.loaded,
      ),
    }))
    const arns = functions.map(({ lambda }) => lambda.functionArn)
    const invokerArn = this.#output('InvokerArn', invokerRole(this, 'Invoker', arns).roleArn)
    this.routes = functions.flatMap(({ operation, id, lambda }) => {
      const uri = this.#output(`${id}Uri`, integrationUri(lambda.functionArn))
      return routeKeys(operation).map((key) => ({ key, uri, invokerArn }))
    })
    const shifted = functions
      .filter(({ operation: { method, path } }) => carryingRoutes.has(`${method} ${path}`))
      .map(({ operation, id, lambda }) => ({
        id,
        alias: lambda,
        operation: `${operation.method} ${operation.path}`,
      }))
    if (shifted.length > 0 && settings.shift === 'canary') {
      new GradualShift(this, 'Shift', { functions: shifted, serviceName: settings.stackName })
    }
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

/** Each kind of device has a role of its own, and so has sign-in; of the account API, reads cannot write, and everything else changes data. */
function roleOf({ method, path, credential = 'api', permission }: OperationSource['operation'], roles: Roles): IRole {
  if (path.endsWith('/jwks')) return roles.of.directoryKeys
  if (credential === 'none' || credential === 'portal') return roles.of.signIn
  if (credential !== 'api') return roles.of[credential]
  const reads = method === 'GET' || permission?.endsWith(':read')
  if (!reads) return roles.of.writer
  return holdsSecrets(path) ? roles.of.secretReader : roles.of.reader
}

/** True for a path whose collection has rows with encrypted secrets. The path of the legacy configuration is in the singular. */
function holdsSecrets(path: string): boolean {
  const name = collectionOf(path).replaceAll('-', '_')
  return sealedRows.has(name) || sealedRows.has(`${name}s`)
}
