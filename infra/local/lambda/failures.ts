import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FailedBatches } from '#shared/jobs/failed-batches/redrive.ts'
import { writeAtomically } from '../files/data-dir.ts'
import type { Discard } from './deliver.ts'
import type { Source } from './source.ts'

/** The failure destination: on AWS an object in a bucket, here a file, both with the event that could not be handled. */
export function failureFolder(dir: string, label: string, functionArn: string, source: Source) {
  const folder = join(dir, 'failed', label)
  return (shard: string, { condition, records, invocations, error }: Discard): string => {
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

/** The stand-in for the bucket of failed batches: a folder for each consumer. */
export function failuresFolder(dir: string): FailedBatches {
  const folder = join(dir, 'failed')
  return {
    // By the time that the names of the files begin with, whatever consumer they are of.
    list: async () => globSync('*/*.json', { cwd: folder }).sort((a, b) => (basename(a) < basename(b) ? -1 : 1)),
    read: async (name) => readFileSync(join(folder, name), 'utf8'),
    remove: async (name) => rmSync(join(folder, name)),
  }
}
