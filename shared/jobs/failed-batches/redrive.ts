/** The store of batches that a consumer could not handle. */
export type FailedBatches = {
  /** The names of what is kept, in the order in which it failed. */
  list(): Promise<string[]>
  read(name: string): Promise<string>
  remove(name: string): Promise<void>
}

type Invoke = (functionArn: string, event: { Records: unknown[] }) => Promise<unknown>

export type Redriven = {
  /** Batches that are handled now, and gone. */
  redriven: number
  /** Batches that failed again, and stay. */
  kept: { name: string; reason: string }[]
  /** Batches that there was no time for. */
  left: number
}

type Options = {
  batches: FailedBatches
  /** Hands an event to the function that failed. */
  invoke: Invoke
  /** False when there is no time for another batch. */
  hasTime?: () => boolean
}

/** Lambda keeps of a failed batch the function it was for, and the whole event as JSON text. */
function readBatch(text: string): { functionArn: string; records: unknown[] } {
  const { requestContext, payload } = JSON.parse(text) ?? {}
  const event = typeof payload === 'string' ? JSON.parse(payload) : payload
  if (typeof requestContext?.functionArn !== 'string' || !Array.isArray(event?.Records)) {
    throw new Error('This is no failed batch.')
  }
  return { functionArn: requestContext.functionArn, records: event.Records }
}

async function hand(functionArn: string, records: unknown[], invoke: Invoke): Promise<void> {
  const answer = (await invoke(functionArn, { Records: records })) as { batchItemFailures?: unknown[] } | null
  if (answer?.batchItemFailures?.length) throw new Error('The function reported a failed record.')
}

/** A batch that fails as a whole is handed over record by record, so that one bad record keeps no other back. */
async function redriveBatch(text: string, invoke: Invoke): Promise<void> {
  const { functionArn, records } = readBatch(text)
  const failed = await hand(functionArn, records, invoke).then(
    () => undefined,
    (error) => error,
  )
  if (failed === undefined) return
  if (records.length === 1) throw failed
  let failures = 0
  for (const record of records) await hand(functionArn, [record], invoke).catch(() => failures++)
  if (failures > 0) throw new Error(`${failures} of ${records.length} records failed again.`)
}

/**
 * Hands every kept batch to its consumer again, removes what succeeded and keeps what did not. The consumers do nothing
 * twice, so an interrupted run is simply repeated, and a batch that is half done is handed over whole the next time.
 */
export async function redrive({ batches, invoke, hasTime = () => true }: Options): Promise<Redriven> {
  const names = await batches.list()
  const result: Redriven = { redriven: 0, kept: [], left: 0 }
  for (const [i, name] of names.entries()) {
    if (!hasTime()) return { ...result, left: names.length - i }
    try {
      await redriveBatch(await batches.read(name), invoke)
      await batches.remove(name)
      result.redriven++
    } catch (error) {
      result.kept.push({ name, reason: error instanceof Error ? error.message : 'not an error object' })
    }
  }
  return result
}
