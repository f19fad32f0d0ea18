import { Aws } from 'aws-cdk-lib'

/** The URI by which API Gateway integrates a function, in the form that its OpenAPI examples use. */
export const integrationUri = (functionArn: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`
