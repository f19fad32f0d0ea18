import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'

/** What lets API Gateway invoke these functions, and nothing else. */
export const invokerRole = (scope: Construct, id: string, functionArns: string[]): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functionArns })],
      }),
    },
  })

type Wiring = { apiId: string; functionArn: string; invoker: Role; routes: { id: string; key: string }[] }

/** Leads routes of the HTTP API to a function: one integration, whose id begins with that of the function. */
export function wireRoutes(scope: Construct, id: string, { apiId, functionArn, invoker, routes }: Wiring): void {
  const integration = new CfnIntegration(scope, `${id}Integration`, {
    apiId,
    integrationType: 'AWS_PROXY',
    payloadFormatVersion: '2.0',
    integrationUri: functionArn,
    credentialsArn: invoker.roleArn,
  })
  for (const route of routes) {
    new CfnRoute(scope, `${id}${route.id}`, { apiId, routeKey: route.key, target: `integrations/${integration.ref}` })
  }
}
