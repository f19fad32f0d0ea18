import { parentPort } from 'node:worker_threads'
import type { RoutedSource } from '#functions/operations.ts'
// Loads most of the CDK before the bundled app and the operations arrive.
import 'aws-cdk-lib/aws-apigatewayv2'
import 'aws-cdk-lib/aws-cloudtrail'
import 'aws-cdk-lib/aws-cloudwatch-actions'
import 'aws-cdk-lib/aws-codedeploy'
import 'aws-cdk-lib/aws-dynamodb'
import 'aws-cdk-lib/aws-lambda-event-sources'

/** URL of the bundled module that exports `synthesizeText`, and the operations of the app. */
type Order = { script: string; operations: RoutedSource[] }

parentPort?.once('message', async ({ script, operations }: Order) => {
  const { synthesizeText }: typeof import('./synthesize.ts') = await import(script)
  parentPort?.postMessage(await synthesizeText(operations))
})
