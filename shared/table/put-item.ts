import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, type DeleteCommandInput, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Key } from './keys.ts'
import { table, tableName } from './table.ts'

type ConditionOf<I> = Omit<I, 'TableName' | 'Item' | 'Key'>

export const putItem = (Item: Record<string, unknown>, condition: ConditionOf<PutCommandInput> = {}) =>
  table().send(new PutCommand({ TableName: tableName(), Item, ...condition }))

export const removeItem = ({ pk, sk }: Key, condition: ConditionOf<DeleteCommandInput> = {}) =>
  table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk }, ...condition }))

/** Returns the result of a conditional write, or the result of `onRefusal` when the condition was not met. */
export async function catchRefusal<T, R>(
  write: Promise<T>,
  onRefusal: (error: ConditionalCheckFailedException) => R,
): Promise<T | R> {
  try {
    return await write
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return onRefusal(error)
    throw error
  }
}

/** Returns the result of a conditional write, or null when the condition was not met. */
export const ifMet = <T>(write: Promise<T>): Promise<T | null> => catchRefusal(write, () => null)
