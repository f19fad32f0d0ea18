import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
import { accountOf } from './keys.ts'
import { packLarge, unpackLarge } from './large-attributes.ts'

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>

/** Decodes the base64 bytes of a stream event. Decodes only compressed attributes (`packLarge`), because no consumer reads log entries. */
function withBytes(image: Image): Record<string, AttributeValue> {
  const attributes = Object.entries(image).map(([name, value]) => {
    const packed: unknown = value.M?.zstd?.B
    return [name, typeof packed === 'string' ? { M: { zstd: { B: Buffer.from(packed, 'base64') } } } : value]
  })
  return Object.fromEntries(attributes)
}

const itemOf = (image: Image = {}): Record<string, unknown> => unpackLarge(unmarshall(withBytes(image)))

export const newImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> => itemOf(dynamodb?.NewImage)

export const oldImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> => itemOf(dynamodb?.OldImage)

/** Handles records in order. Logs the first failure and reports it as the batch item failure, so that Lambda retries from that record. */
export async function handleInOrder(
  records: DynamoDBRecord[],
  failureEvent: Parameters<typeof logLine>[1],
  handle: (record: DynamoDBRecord) => Promise<void>,
): Promise<DynamoDBBatchResponse> {
  for (const record of records) {
    try {
      await handle(record)
    } catch (error) {
      const { Keys, SequenceNumber: itemIdentifier = '' } = record.dynamodb ?? {}
      const account_id = Keys?.pk?.S && accountOf({ pk: Keys.pk.S })
      logLine('ERROR', failureEvent, { account_id, sequence_number: itemIdentifier, ...describeError(error) })
      return { batchItemFailures: [{ itemIdentifier }] }
    }
  }
  return { batchItemFailures: [] }
}

/** Encodes an item in the form of a stream event. */
export function imageOf(item: Record<string, unknown>): Record<string, unknown> {
  const attributes = marshall(packLarge(item), { removeUndefinedValues: true })
  const texts = Object.entries(attributes).map(([name, value]) => {
    const packed = value.M?.zstd?.B
    return [name, packed ? { M: { zstd: { B: Buffer.from(packed).toString('base64') } } } : value]
  })
  return Object.fromEntries(texts)
}
