import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import { table, tableName } from '../../table/client.ts'

/** Statements that one request takes. */
export const mostStatements = 25

/** A conditional write of one item. Each statement of a request is done or not by itself, and billed by itself. */
export type Statement = { Statement: string; Parameters: unknown[] }

type Fields = Record<string, unknown>

/** Stores an item where there is none. */
export function insertion(item: Fields): Statement {
  const names = Object.keys(item)
  const values = names.map((name) => `'${name}': ?`).join(', ')
  return { Statement: `INSERT INTO "${tableName()}" VALUE {${values}}`, Parameters: Object.values(item) }
}

/** Sets fields of an item that is there and lacks the field `without`. */
export function completion({ pk, sk }: { pk: string; sk: string }, fields: Fields, without: string): Statement {
  const set = Object.keys(fields).map((name) => `"${name}" = ?`)
  return {
    Statement: `UPDATE "${tableName()}" SET ${set.join(', ')} WHERE "pk" = ? AND "sk" = ? AND "${without}" IS MISSING`,
    Parameters: [...Object.values(fields), pk, sk],
  }
}

/** The outcome of a statement: the item was not as its condition says, or it has to be tried again. */
export type Outcome = 'done' | 'unmet' | 'failed'

const unmet = new Set(['DuplicateItem', 'ConditionalCheckFailed'])

/** Sends up to 25 statements about different items in one request. @throws when the request itself fails */
export async function executeTogether(statements: Statement[]): Promise<Outcome[]> {
  if (statements.length === 0) return []
  const { Responses = [] } = await table().send(new BatchExecuteStatementCommand({ Statements: statements }))
  return statements.map((_, i) => {
    const response = Responses[i]
    if (!response) return 'failed'
    if (!response.Error) return 'done'
    return unmet.has(response.Error.Code ?? '') ? 'unmet' : 'failed'
  })
}
