import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { table } from '#shared/table/table.ts'
import { statementKey } from '#test/support/table/statement-key.ts'
import { replaceMethod } from './replace-method.ts'

type Key = { pk: string; sk: string }
type Attributes = Record<string, unknown>
type Send = (command: unknown) => Promise<unknown>

/** Cached reads of a partition, and a counter that is incremented at the start and the end of each write. */
type Partition = { items: Map<string, Attributes | null>; queries: Map<string, unknown>; writes: number }

/** Freezes a value deeply, because all readers of the cache share it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** Returns the keys that a command writes, or null if the command is not a supported write. */
function writtenBy(command: unknown): Key[] | null {
  if (command instanceof PutCommand) return [command.input.Item as Key]
  if (command instanceof UpdateCommand || command instanceof DeleteCommand) return [command.input.Key as Key]
  if (command instanceof BatchExecuteStatementCommand) return (command.input.Statements ?? []).map(statementKey)
  if (command instanceof BatchWriteCommand) {
    const requests = Object.values(command.input.RequestItems ?? {}).flat()
    return requests.map(({ PutRequest, DeleteRequest }) => (PutRequest?.Item ?? DeleteRequest?.Key) as Key)
  }
  if (!(command instanceof TransactWriteCommand)) return null
  return (command.input.TransactItems ?? []).flatMap(({ Put, Update, Delete }) => {
    const key = Put?.Item ?? Update?.Key ?? Delete?.Key
    return key ? [key as Key] : []
  })
}

/** Caches reads, except reads that overlap with a write to the same partition. */
class Memory {
  private readonly partitions = new Map<string, Partition>()

  partition(pk: string): Partition {
    const partition = this.partitions.get(pk) ?? { items: new Map(), queries: new Map(), writes: 0 }
    this.partitions.set(pk, partition)
    return partition
  }

  forget(keys: Key[]): void {
    for (const { pk, sk } of keys) {
      const partition = this.partition(pk)
      partition.writes++
      partition.items.delete(sk)
      partition.queries.clear()
    }
  }

  async items(keys: Key[], read: (missing: Key[]) => Promise<Attributes[]>): Promise<Attributes[]> {
    const missing = keys.filter(({ pk, sk }) => !this.partition(pk).items.has(sk))
    const writes = new Map(missing.map(({ pk }) => [pk, this.partition(pk).writes]))
    const remembered = keys.flatMap(({ pk, sk }): Attributes[] => {
      const item = this.partition(pk).items.get(sk)
      return item ? [item] : []
    })
    if (missing.length === 0) return remembered
    const found = frozen(await read(missing))
    for (const { pk, sk } of missing) {
      const partition = this.partition(pk)
      if (partition.writes !== writes.get(pk)) continue
      partition.items.set(sk, found.find((item) => item.pk === pk && item.sk === sk) ?? null)
    }
    return [...remembered, ...found]
  }

  async query(command: QueryCommand, send: Send): Promise<unknown> {
    const partition = this.partition(command.input.ExpressionAttributeValues?.[':pk'])
    const input = JSON.stringify(command.input)
    if (partition.queries.has(input)) return partition.queries.get(input)
    const { writes } = partition
    const answer = frozen(await send(command))
    if (partition.writes === writes) partition.queries.set(input, answer)
    return answer
  }
}

async function batchGet(memory: Memory, command: BatchGetCommand, send: Send): Promise<unknown> {
  const [[name, request] = ['', undefined]] = Object.entries(command.input.RequestItems ?? {})
  const items = await memory.items((request?.Keys ?? []) as Key[], async (Keys) => {
    // Reads whole items, because later reads may need other attributes.
    const whole = { Keys, ConsistentRead: request?.ConsistentRead }
    const answer = (await send(new BatchGetCommand({ RequestItems: { [name]: whole } }))) as {
      Responses?: Record<string, Attributes[]>
      UnprocessedKeys?: object
    }
    if (Object.keys(answer.UnprocessedKeys ?? {}).length > 0) throw new Error('The engine left keys unprocessed.')
    return answer.Responses?.[name] ?? []
  })
  return { Responses: { [name]: items } }
}

/**
 * Caches the reads of this process until it writes to the same partition, so that unchanged data is read only once. Writes always reach the
 * table's engine, including their conditions.
 */
export function rememberReads(): void {
  const memory = new Memory()
  const client = table()
  const send = client.send.bind(client) as Send
  replaceMethod(client, 'send', (async (command: unknown) => {
    if (command instanceof QueryCommand) return memory.query(command, send)
    if (command instanceof BatchGetCommand) return batchGet(memory, command, send)
    if (command instanceof GetCommand) {
      const read = async () => [((await send(command)) as { Item?: Attributes }).Item ?? []].flat() as Attributes[]
      const [Item] = await memory.items([command.input.Key as Key], read)
      return { Item }
    }
    const written = writtenBy(command)
    if (written === null) throw new Error('The cache does not support this command.')
    memory.forget(written)
    try {
      return await send(command)
    } finally {
      memory.forget(written)
    }
  }) as never)
}
