import { randomBytes } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Origin } from '../auth/subject.ts'
import { clock } from '../clock.ts'
import { table, tableName } from '../table/client.ts'
import { logId } from './log-id.ts'
import { logItem } from './log-key.ts'

export type ApiRequestLog = Origin & {
  actor_id: string
  api_token_id: string | null
  method: string
  path: string
  content_length: number | null
  request_id: string
}

/** Stores the log entry of a request (L7.3). */
export async function recordApiRequest(account: string, entry: ApiRequestLog): Promise<void> {
  const id = logId('api_request', clock.now(), randomBytes(5).readUIntBE(0, 5))
  await table().send(new PutCommand({ TableName: tableName(), Item: logItem(account, 'api_request', id, entry) }))
}
