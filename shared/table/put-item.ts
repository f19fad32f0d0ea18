import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, type DeleteCommandInput, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Key } from './keys.ts'
import { table, tableName } from './table.ts'

type ConditionOf<I> = Omit<I, 'TableName' | 'Item' | 'Key'>

/** Stores an item, where it is as the condition says. */
export const putItem = (Item: Record<string, unknown>, condition: ConditionOf<PutCommandInput> = {}) =>
  table().send(new PutCommand({ TableName: tableName(), Item, ...condition }))

/** Deletes an item, where it is as the condition says. */
export const removeItem = ({ pk, sk }: Key, condition: ConditionOf<DeleteCommandInput> = {}) =>
  table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk }, ...condition }))

/** The result of a conditional write, or what `refused` makes of it where the item is not as the condition says. */
export async function unlessRefused<T, R>(
  write: Promise<T>,
  refused: (error: ConditionalCheckFailedException) => R,
): Promise<T | R> {
  try {
    return await write
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return refused(error)
    throw error
  }
}

/** The result of a conditional write; null where its condition did not hold. */
export const ifMet = <T>(write: Promise<T>): Promise<T | null> => unlessRefused(write, () => null)
