import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { env } from '../core/env.ts'

let client: DynamoDBDocumentClient | undefined

/** The one DynamoDB client of a process; retries of throttled calls are the SDK's. */
export function table(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 4,
      // Without the last the SDK would only warn of a request that is never answered, and wait on.
      requestHandler: new NodeHttpHandler({
        connectionTimeout: 1_000,
        requestTimeout: 5_000,
        throwOnRequestTimeout: true,
      }),
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  return client
}

export const tableName = (): string => env.tableName
