import type { DynamoDBRecord } from 'aws-lambda'
import { readAll } from './attribute-values.ts'
import { accountOf } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'

/** The item that a record of the table's stream says was written. */
export const newImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> =>
  unpackLarge(readAll(dynamodb?.NewImage ?? {}))

/** The item that a record of the table's stream says was there before. */
export const oldImage = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> =>
  unpackLarge(readAll(dynamodb?.OldImage ?? {}))

/** Whose item a record of the table's stream is about. */
export const accountOfRecord = ({ dynamodb }: DynamoDBRecord): string | undefined =>
  dynamodb?.Keys?.pk?.S && accountOf({ pk: dynamodb.Keys.pk.S })
