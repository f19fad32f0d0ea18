import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FailedBatches } from '#shared/jobs/failed-batches/redrive.ts'
import { writeAtomically } from '../files/data-dir.ts'
import type { DiscardedBatch } from './deliver.ts'
import type { Source } from './source.ts'

/** Creates a consumer's failure destination, which writes failed batches to files in the format of Lambda's S3 objects. */
export function failureWriter(dir: string, label: string, functionArn: string, source: Source) {
  const folder = join(dir, 'failed', label)
  return (shard: string, { condition, records, invocations, error }: DiscardedBatch): string => {
    const [first, last] = [records[0], records.at(-1)]
    const timestamp = new Date().toISOString()
    const document = {
      requestContext: { requestId: randomUUID(), functionArn, condition, approximateInvokeCount: invocations },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled', errorMessage: error },
      version: '1.0',
      timestamp,
      [source.kind === 'kinesis' ? 'KinesisBatchInfo' : 'DDBStreamBatchInfo']: {
        shardId: shard,
        startSequenceNumber: first?.sequence,
        endSequenceNumber: last?.sequence,
        approximateArrivalOfFirstRecord: new Date((first?.createdAt ?? 0) * 1_000).toISOString(),
        approximateArrivalOfLastRecord: new Date((last?.createdAt ?? 0) * 1_000).toISOString(),
        batchSize: records.length,
        streamArn: source.arn,
      },
      payload: JSON.stringify({ Records: records.map(({ event }) => event) }),
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${timestamp.replaceAll(':', '.')}-${randomUUID()}.json`)
    writeAtomically(path, JSON.stringify(document))
    return path
  }
}

/** Opens the folder that locally replaces the bucket of failed batches. It has one subfolder per consumer. */
export function failuresFolder(dir: string): FailedBatches {
  const folder = join(dir, 'failed')
  return {
    // Sorts the batches of all consumers by time, because file names begin with the time.
    list: async () => globSync('*/*.json', { cwd: folder }).sort((a, b) => (basename(a) < basename(b) ? -1 : 1)),
    read: async (name) => readFileSync(join(folder, name), 'utf8'),
    remove: async (name) => rmSync(join(folder, name)),
  }
}
