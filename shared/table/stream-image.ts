import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord, AttributeValue as StreamedValue } from 'aws-lambda'
import { unpackLarge } from './large-attributes.ts'

/** The events of a table's stream are JSON, so they hold bytes as base64. */
function withBytes(value: StreamedValue): AttributeValue {
  if (typeof value.B === 'string') return { B: Buffer.from(value.B, 'base64') }
  if (value.L) return { L: value.L.map(withBytes) }
  if (value.M) return { M: attributesWithBytes(value.M) }
  return value as AttributeValue
}

const attributesWithBytes = (attributes: Record<string, StreamedValue>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, withBytes(value)]))

/** The item that a record of the table's stream says was written. */
export const newImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> =>
  unpackLarge(unmarshall(attributesWithBytes(dynamodb?.NewImage ?? {})))
