import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb'
import type { ServiceError } from '../core/aws/json-service.ts'

type Metadata = Partial<ServiceError['$metadata']>

/** A write whose condition did not hold, named as DynamoDB names it. The SDK's class brings 25 KB to every start. */
export class ConditionalCheckFailedException extends Error {
  override readonly name = 'ConditionalCheckFailedException'
  readonly $metadata: Metadata
  /** What was found instead, where the write asked for it, as the table writes it (binary in base64). */
  readonly Item: Record<string, AttributeValue> | undefined

  constructor(told: { message: string; $metadata: Metadata; Item?: Record<string, AttributeValue> | undefined }) {
    super(told.message)
    this.$metadata = told.$metadata
    this.Item = told.Item
  }
}

/** A transaction that was not done, named as DynamoDB names it. */
export class TransactionCanceledException extends Error {
  override readonly name = 'TransactionCanceledException'
  readonly $metadata: Metadata
  /** One for each of its writes, in their order. */
  readonly CancellationReasons: CancellationReason[] | undefined

  constructor(told: { message: string; $metadata: Metadata; CancellationReasons?: CancellationReason[] | undefined }) {
    super(told.message)
    this.$metadata = told.$metadata
    this.CancellationReasons = told.CancellationReasons
  }
}
