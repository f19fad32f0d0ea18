import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { unpackLarge } from './large-attributes.ts'

/** The events of a table's stream are JSON, so they hold bytes as base64. */
function withBytes(value: Record<string, unknown>): unknown {
  const [[type, inner] = []] = Object.entries(value)
  if (type === 'B' && typeof inner === 'string') return { B: Buffer.from(inner, 'base64') }
  if (type === 'L') return { L: (inner as Record<string, unknown>[]).map(withBytes) }
  if (type === 'M') return { M: attributesWithBytes(inner as Record<string, Record<string, unknown>>) }
  return value
}

const attributesWithBytes = (attributes: Record<string, Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, withBytes(value)]))

/** The item that a record of the table's stream says was written. */
export const newImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> =>
  unpackLarge(
    unmarshall(
      attributesWithBytes((dynamodb?.NewImage ?? {}) as Record<string, never>) as Record<string, AttributeValue>,
    ),
  )
