import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { s3 } from '../../core/aws/s3.ts'
import { env } from '../../core/env.ts'
import { handOver, type Invoke, reasonOf } from '../hand-over.ts'

export type FailedBatches = {
  /** Returns the names of the failed batches, oldest first. */
  list(): Promise<string[]>
  read(name: string): Promise<string>
  remove(name: string): Promise<void>
}

type Options = { batches: FailedBatches; invoke: Invoke; hasTime?: () => boolean }

/** Parses the object that Lambda stores for a failed batch, with the function's ARN and the event as JSON text. */
function readBatch(text: string): { functionArn: string; records: unknown[] } {
  const { requestContext, payload } = JSON.parse(text) ?? {}
  const event = typeof payload === 'string' ? JSON.parse(payload) : payload
  if (typeof requestContext?.functionArn !== 'string' || !Array.isArray(event?.Records)) {
    throw new Error('This object is not a failed batch.')
  }
  return { functionArn: requestContext.functionArn, records: event.Records }
}

/**
 * Invokes consumers again with their failed batches, and deletes the batches that succeed. Idempotent, because the consumers are
 * idempotent.
 */
export async function redrive({ batches, invoke, hasTime = () => true }: Options) {
  const names = await batches.list()
  /** Numbers of batches that succeeded and of batches left for lack of time. `kept` lists the batches that failed again. */
  const result = { redriven: 0, kept: [] as { name: string; reason: string }[], left: 0 }
  for (const [i, name] of names.entries()) {
    if (!hasTime()) return { ...result, left: names.length - i }
    try {
      const { functionArn, records } = readBatch(await batches.read(name))
      const failures = await handOver(invoke, functionArn, records)
      if (failures[0] && records.length === 1) throw new Error(failures[0].reason)
      if (failures.length > 0) throw new Error(`${failures.length} of ${records.length} records failed again.`)
      await batches.remove(name)
      result.redriven++
    } catch (error) {
      result.kept.push({ name, reason: reasonOf(error) })
    }
  }
  return result
}

/** Prefix of the objects that Lambda stores: `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
const prefix = 'aws/lambda/'

async function keys(Bucket: string): Promise<string[]> {
  const found: string[] = []
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3() }, { Bucket, Prefix: prefix }))
    found.push(...Contents.flatMap(({ Key }) => Key ?? []))
  // Sorts by the time at the end of the key, across mappings and shards.
  const age = (key: string) => key.slice(key.lastIndexOf('/') + 1)
  return found.sort((a, b) => (age(a) < age(b) ? -1 : 1))
}

/** Accesses the failed batches in the bucket to which Lambda writes them. The bucket keeps versions of deleted batches for some days. */
export function failuresBucket(): FailedBatches {
  const Bucket = String(env.failuresBucket)
  return {
    list: () => keys(Bucket),
    async read(Key) {
      const { Body } = await s3().send(new GetObjectCommand({ Bucket, Key }))
      return Body?.transformToString() ?? ''
    },
    async remove(Key) {
      await s3().send(new DeleteObjectCommand({ Bucket, Key }))
    },
  }
}
