import { NestedStack } from 'aws-cdk-lib'
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2'
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import type { Roles } from './roles.ts'

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
    const invoker = new Role(this, 'Invoker', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        invoke: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['lambda:InvokeFunction'],
              resources: functions.map(({ lambda }) => lambda.functionArn),
            }),
          ],
        }),
      },
    })
    for (const { operation, name, lambda } of functions) {
      const integration = new CfnIntegration(this, `${name}Integration`, {
        apiId,
        integrationType: 'AWS_PROXY',
        payloadFormatVersion: '2.0',
        integrationUri: lambda.functionArn,
        credentialsArn: invoker.roleArn,
      })
      for (const method of [operation.method, ...(operation.alias ? [operation.alias] : [])]) {
        new CfnRoute(this, `${name}${method}`, {
          apiId,
          routeKey: `${method} ${operation.path}`,
          target: `integrations/${integration.ref}`,
        })
      }
    }
  }
}

/** `api/groups/create-group.ts` → `CreateGroup`. */
export const logicalName = (file: string): string =>
  (file.split('/').at(-1) as string)
    .replace(/\.ts$/, '')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Reads of the account API cannot write; ingest reaches the stream; everything else changes data. */
function roleOf({ method, credential = 'api', permission }: OperationSource['operation'], roles: Roles): IRole {
  if (credential === 'ingest') return roles.of.ingest
  const reads = method === 'GET' || permission?.endsWith(':read')
  return credential === 'api' && reads ? roles.of.reader : roles.of.writer
}
