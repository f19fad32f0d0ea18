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
