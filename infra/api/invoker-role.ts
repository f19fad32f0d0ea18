import { Aws } from 'aws-cdk-lib'
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { may } from '../roles/may.ts'

export const invokerRole = (scope: Construct, functionArns: string[]): Role =>
  new Role(scope, 'Invoker', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { invoke: new PolicyDocument({ statements: [may(['lambda:InvokeFunction'], functionArns)] }) },
  })

export const integrationUri = (functionArn: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`
