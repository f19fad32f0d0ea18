import { endpointOf } from '../core/aws/endpoint.ts'
import { JsonService, ServiceError } from '../core/aws/json-service.ts'
import { env } from '../core/env.ts'
import type { TableCommand } from './commands.ts'
import { ConditionalCheckFailedException, TransactionCanceledException } from './refused-write.ts'

/** The errors that somebody asks for by their class. */
function sdkError(error: ServiceError): Error {
  const { name, message, body, $metadata } = error
  if (name === 'ConditionalCheckFailedException') {
    const { Item } = body as Pick<ConditionalCheckFailedException, 'Item'>
    return new ConditionalCheckFailedException({ message, Item, $metadata })
  }
  if (name !== 'TransactionCanceledException') return error
  const { CancellationReasons } = body as Pick<TransactionCanceledException, 'CancellationReasons'>
  return new TransactionCanceledException({ message, CancellationReasons, $metadata })
}

/** Sends commands to the table, or to another one of its kind. */
export class TableClient {
  private readonly service: JsonService

  constructor(endpoint: () => string) {
    this.service = new JsonService({
      name: 'dynamodb',
      target: 'DynamoDB_20120810',
      contentType: 'application/x-amz-json-1.0',
      endpoint,
    })
  }

  /**
   * Sends a request; one that fails for what may pass is tried again.
   * @throws what the SDK's client would throw, by the same names and with the same fields
   */
  async send<Output>(command: TableCommand<object, Output>): Promise<Output> {
    try {
      return await this.service.ask(command.operation, command.body(), (text) => command.read(text))
    } catch (error) {
      throw error instanceof ServiceError ? sdkError(error) : error
    }
  }
}

const client = new TableClient(() => endpointOf('dynamodb', 'AWS_ENDPOINT_URL_DYNAMODB'))

/** The one client of the table in a process. */
export const table = (): TableClient => client

export const tableName = (): string => env.tableName
