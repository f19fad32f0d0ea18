import { basename } from 'node:path'
import { NestedStack } from 'aws-cdk-lib'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import type { Roles } from './roles.ts'
import { invokerRole, wireRoutes } from './wire-routes.ts'

type Props = { operations: OperationSource[]; apiId: string; code: string; shared: Shared; roles: Roles }

/** The operations of one collection: for each a function, an integration and its routes. */
export class OperationStack extends NestedStack {
  constructor(scope: Construct, id: string, { operations, apiId, code, shared, roles }: Props) {
    super(scope, id)
    const asset = Code.fromAsset(code)
    const functions = operations.map(({ operation, file }) => ({
      operation,
      name: logicalName(file),
      lambda: new LambdaFunction(this, logicalName(file), {
        ...functionSettings(shared, asset, file),
        description: operation.summary,
        role: roleOf(operation, roles),
      }),
    }))
    const arns = functions.map(({ lambda }) => lambda.functionArn)
    const invoker = invokerRole(this, 'Invoker', arns)
    for (const { operation, name, lambda } of functions) {
      const methods = [operation.method, ...(operation.alias ? [operation.alias] : [])]
      const routes = methods.map((method) => ({ id: method, key: `${method} ${operation.path}` }))
      wireRoutes(this, name, { apiId, functionArn: lambda.functionArn, invoker, routes })
    }
  }
}

/** `api/groups/create-group.ts` → `CreateGroup`. */
export const logicalName = (file: string): string =>
  basename(file, '.ts')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Reads of the account API cannot write; ingest reaches the stream; everything else changes data. */
function roleOf({ method, credential = 'api', permission }: OperationSource['operation'], roles: Roles): IRole {
  if (credential === 'ingest') return roles.of.ingest
  const reads = method === 'GET' || permission?.endsWith(':read')
  return credential === 'api' && reads ? roles.of.reader : roles.of.writer
}
