import { fieldsOf } from '../core/json/is-object.ts'

export type Invoke = (functionArn: string, event: { Records: unknown[] }) => Promise<unknown>

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'not an error object')

async function deliver(invoke: Invoke, functionArn: string, Records: unknown[]): Promise<string | null> {
  try {
    const failures = fieldsOf(await invoke(functionArn, { Records })).batchItemFailures
    return Array.isArray(failures) && failures.length > 0 ? 'The function reported a failed record.' : null
  } catch (error) {
    return reasonOf(error)
  }
}

/**
 * Invokes a consumer with all records at once. If the call fails, invokes the consumer separately for each record, so that one bad record
 * does not block others.
 * @returns the index and reason of each record that failed
 */
export async function handOver(invoke: Invoke, functionArn: string, records: unknown[]) {
  const reason = await deliver(invoke, functionArn, records)
  if (reason === null) return []
  if (records.length === 1) return [{ index: 0, reason }]
  const failedRecords: { index: number; reason: string }[] = []
  for (const [index, record] of records.entries()) {
    const reason = await deliver(invoke, functionArn, [record])
    if (reason !== null) failedRecords.push({ index, reason })
  }
  return failedRecords
}
