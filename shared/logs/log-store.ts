import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Origin } from '../auth/subject.ts'
import { clock, timestamp } from '../clock.ts'
import { table, tableName } from '../table/client.ts'
import type { Item } from '../table/keys.ts'
import { type LogStream, logId } from './log-id.ts'
import { dayOf, logPartition, logTtl } from './log-keys.ts'

type Entry = Record<string, unknown>

/** The item of an entry. Writing it again writes the same bytes. */
export const logItem = (account: string, stream: LogStream, id: string, micros: number, entry: Entry): Item => ({
  pk: logPartition(account, stream, dayOf(micros)),
  sk: id,
  kind: 'log',
  ttl: logTtl(stream, micros),
  type: stream,
  log_id: id,
  timestamp: timestamp(micros),
  ...entry,
})

type ApiRequest = Origin & {
  actor_id: string
  api_token_id: string | null
  method: string
  path: string
  content_length: number | null
  request_id: string
}

/** Stores the entry of a request to the account API (L7.3). */
export async function recordApiRequest(account: string, entry: ApiRequest): Promise<void> {
  const now = clock.now()
  const Item = logItem(account, 'api_request', logId('api_request', now), now, entry)
  await table().send(new PutCommand({ TableName: tableName(), Item }))
}
