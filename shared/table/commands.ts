import { randomUUID } from 'node:crypto'
import type * as document from '@aws-sdk/lib-dynamodb'
import { read, readAll, spell, spellAll } from './attribute-values.ts'
import { readItems } from './item-reader.ts'

type Fields = Record<string, unknown>
/** Where in a request or an answer values of items stand: at a name, in each element, or in all under a name. */
type Places = 'items' | 'item' | 'list' | { [name: string]: Places } | { each: Places }
type Turn = { all: (values: never) => unknown; one: (value: never) => unknown }

const spelling: Turn = { all: spellAll, one: spell }
const reading: Turn = { all: readAll, one: read }

/** The same with the values at those places turned; what is not there stays away. */
function turned(value: unknown, places: Places, turn: Turn): unknown {
  if (value === undefined || value === null) return undefined
  if (places === 'item') return turn.all(value as never)
  if (places === 'items') return (value as never[]).map(turn.all)
  if (places === 'list') return (value as never[]).map(turn.one)
  const { each } = places as { each?: Places }
  if (each) {
    if (Array.isArray(value)) return value.map((one) => turned(one, each, turn))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, turned(one, each, turn)]))
  }
  const result: Fields = { ...(value as Fields) }
  for (const [name, place] of Object.entries(places)) {
    const inner = turned(result[name], place, turn)
    if (inner !== undefined) result[name] = inner
  }
  return result
}

type Spelling = { operation: string; request: Places; answer: Places }

/** A request to the table, in the words of the SDK's document client. */
export abstract class TableCommand<Input extends object = object, Output = unknown> {
  readonly input: Input
  protected abstract readonly spelling: Spelling
  /** Nothing is there: it tells the type of the answer. */
  declare readonly output?: Output

  constructor(input: Input) {
    this.input = input
  }

  get operation(): string {
    return this.spelling.operation
  }

  body(): string {
    return JSON.stringify(turned(this.input, this.spelling.request, spelling))
  }

  /** Reads the text of an answer. */
  read(text: string): Output {
    return turned(JSON.parse(text), this.spelling.answer, reading) as Output
  }
}

type Answer<Output> = Omit<Output, '$metadata'>

const command = <Input extends object, Output>(spelled: Spelling) =>
  class extends TableCommand<Input, Answer<Output>> {
    protected readonly spelling = spelled
  }

const expression = { ExpressionAttributeValues: 'item' } as const
const onKey = { Key: 'item', ...expression } as const
const onItem = { Item: 'item', ...expression } as const
const fromPage = { ExclusiveStartKey: 'item', ...expression } as const
const page = { Items: 'items', LastEvaluatedKey: 'item' } as const
const attributes = { Attributes: 'item' } as const
const keysByTable: Places = { each: { Keys: 'items' } }
const writesByTable: Places = { each: { each: { PutRequest: { Item: 'item' }, DeleteRequest: { Key: 'item' } } } }

export class GetCommand extends command<document.GetCommandInput, document.GetCommandOutput>({
  operation: 'GetItem',
  request: { Key: 'item' },
  answer: { Item: 'item' },
}) {}

export class PutCommand extends command<document.PutCommandInput, document.PutCommandOutput>({
  operation: 'PutItem',
  request: onItem,
  answer: attributes,
}) {}

export class UpdateCommand extends command<document.UpdateCommandInput, document.UpdateCommandOutput>({
  operation: 'UpdateItem',
  request: onKey,
  answer: attributes,
}) {}

export class DeleteCommand extends command<document.DeleteCommandInput, document.DeleteCommandOutput>({
  operation: 'DeleteItem',
  request: onKey,
  answer: attributes,
}) {}

export class QueryCommand extends command<document.QueryCommandInput, document.QueryCommandOutput>({
  operation: 'Query',
  request: fromPage,
  answer: page,
}) {}

/**
 * A query of many items that are looked at and let go, or that an answer is made of. They are read in a fraction of the time;
 * whoever keeps a part of one keeps the text of its whole page.
 */
export class PassingQueryCommand extends QueryCommand {
  override read(text: string) {
    const found = readItems(text)
    return found ? { ...super.read(found.rest), Items: found.items } : super.read(text)
  }
}

export class ScanCommand extends command<document.ScanCommandInput, document.ScanCommandOutput>({
  operation: 'Scan',
  request: fromPage,
  answer: page,
}) {}

export class BatchGetCommand extends command<document.BatchGetCommandInput, document.BatchGetCommandOutput>({
  operation: 'BatchGetItem',
  request: { RequestItems: keysByTable },
  answer: { Responses: { each: 'items' }, UnprocessedKeys: keysByTable },
}) {}

export class BatchWriteCommand extends command<document.BatchWriteCommandInput, document.BatchWriteCommandOutput>({
  operation: 'BatchWriteItem',
  request: { RequestItems: writesByTable },
  answer: { UnprocessedItems: writesByTable },
}) {}

export class BatchExecuteStatementCommand extends command<
  document.BatchExecuteStatementCommandInput,
  document.BatchExecuteStatementCommandOutput
>({
  operation: 'BatchExecuteStatement',
  request: { Statements: { each: { Parameters: 'list' } } },
  answer: { Responses: { each: { Item: 'item', Error: { Item: 'item' } } } },
}) {}

/** It has a token as the SDK gives it one, so that it is done once when its answer is lost and it is sent again. */
export class TransactWriteCommand extends command<
  document.TransactWriteCommandInput,
  document.TransactWriteCommandOutput
>({
  operation: 'TransactWriteItems',
  request: { TransactItems: { each: { ConditionCheck: onKey, Put: onItem, Delete: onKey, Update: onKey } } },
  answer: {},
}) {
  constructor(input: document.TransactWriteCommandInput) {
    super({ ClientRequestToken: randomUUID(), ...input })
  }
}
