import type { Role } from 'aws-cdk-lib/aws-iam'
import type { Construct, IDependable } from 'constructs'
import { currentFunction, type FunctionDefaults } from '../functions/current-function.ts'
import type { ApiRoute } from './api-body.ts'
import { integrationUri, invokerRole } from './invoker-role.ts'
import { routeId } from './route-id.ts'

type RoutedFunction = { id: string; file: string; routes: string[]; role: Role; reserved?: number | undefined }

export const toRoutedFunctions = (files: Record<string, string>, roleOf: (file: string) => Role): RoutedFunction[] =>
  [...Map.groupBy(Object.keys(files), (key) => files[key] ?? '')].map(([file, routes]) => {
    const [method = '', path = ''] = (routes[0] ?? '').split(' ')
    return { id: routeId(method, path), file, routes, role: roleOf(file) }
  })

/** Creates the functions for routes that are not operations, such as public pages and the 404 or 405 response to unmatched requests. */
export function routedFunctions(
  scope: Construct,
  defaults: FunctionDefaults,
  functions: RoutedFunction[],
  check: IDependable,
): ApiRoute[] {
  const functionRoutes = functions.flatMap(({ id, file, role, routes, reserved }) => {
    const { functionArn, lambda } = currentFunction(scope, id, defaults, file, {
      role,
      reservedConcurrentExecutions: reserved,
    })
    if (reserved !== undefined) lambda.node.addDependency(check)
    return routes.map((key) => ({ key, functionArn }))
  })
  const arns = [...new Set(functionRoutes.map(({ functionArn }) => functionArn))]
  const invokerArn = invokerRole(scope, arns).roleArn
  return functionRoutes.map(({ key, functionArn }) => ({ key, uri: integrationUri(functionArn), invokerArn }))
}
