import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Engines } from './engines/start-engines.ts'
import { engineEnvironment } from './environment.ts'

export type Clients = { dynamodb: DynamoDBClient; kinesis: KinesisClient; destroy(): void }

export function engineClients(engines: Pick<Engines, 'dynamodb' | 'kinesis'>): Clients {
  const variables = engineEnvironment(engines)
  const settings = {
    region: variables.AWS_REGION,
    credentials: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
    },
    maxAttempts: 3,
  }
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: engines.dynamodb })
  // The Kinesis client speaks HTTP/2 by default, which the local engines do not.
  const kinesis = new KinesisClient({
    ...settings,
    endpoint: engines.kinesis,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 10_000,
      throwOnRequestTimeout: true,
    }),
  })
  return {
    dynamodb,
    kinesis,
    destroy() {
      dynamodb.destroy()
      kinesis.destroy()
    },
  }
}
