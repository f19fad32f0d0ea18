import type { Role } from 'aws-cdk-lib/aws-iam'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct, IDependable } from 'constructs'
import { functionSettings, type Shared } from '../functions/function-settings.ts'
import { live } from '../functions/live.ts'
import type { ApiRoute } from './api-body.ts'
import { integrationUri } from './integration-uri.ts'
import { invokerRole } from './invoker-role.ts'
import { routeId } from './route-id.ts'

/** A function of its own with its routes. */
export type RoutedFunction = { id: string; file: string; routes: string[]; role: Role; reserved?: number | undefined }

/** One function for each file of these routes, called by the first of its own. */
export const functionsOf = (files: Record<string, string>, roleOf: (file: string) => Role): RoutedFunction[] =>
  [...Map.groupBy(Object.entries(files), ([, file]) => file)].map(([file, entries]) => {
    const routes = entries.map(([key]) => key)
    const [method = '', path = ''] = (routes[0] ?? '').split(' ')
    return { id: routeId(method, path), file, routes, role: roleOf(file) }
  })

/** Functions that are no operations: the public pages, and what no other route takes (404 or 405). */
export function routedFunctions(
  scope: Construct,
  { code, shared, functions, check }: { code: Code; shared: Shared; functions: RoutedFunction[]; check: IDependable },
): ApiRoute[] {
  const made = functions.map(({ id, file, role, routes, reserved }) => {
    const settings = { ...functionSettings(shared, code, file), role, reservedConcurrentExecutions: reserved }
    const lambda = new LambdaFunction(scope, id, settings)
    if (reserved !== undefined) lambda.node.addDependency(check)
    return { functionArn: live(lambda, shared.loaded).functionArn, routes }
  })
  const arns = made.map(({ functionArn }) => functionArn)
  const invokerArn = invokerRole(scope, 'Invoker', arns).roleArn
  return made.flatMap(({ functionArn, routes }) =>
    routes.map((key) => ({ key, uri: integrationUri(functionArn), invokerArn })),
  )
}
