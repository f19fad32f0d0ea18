import { deliver } from '#infra/local/lambda/deliver.ts'

type Consumer = (event: { Records: never[] }) => Promise<unknown>

/**
 * Delivers records in one batch as the service's event source mappings do, with fewer retries and without pauses.
 * Returns the sequence numbers of the discarded records.
 */
export async function deliverAll<T extends object>(
  records: T[],
  sequenceOf: (record: T) => string,
  consumer: Consumer,
): Promise<string[]> {
  const discarded: string[] = []
  const batch = records.map((event) => ({
    sequence: sequenceOf(event),
    createdAt: Date.now() / 1_000,
    event,
    key: '',
    bytes: 1,
    noop: false,
  }))
  await deliver(batch, {
    mapping: { bisect: true, maxRetries: 2, maxAgeSeconds: -1, reportsItemFailures: true },
    invoke: ({ Records }) => consumer({ Records: Records as never[] }),
    discard: async ({ records: given }) => void discarded.push(...given.map(({ sequence }) => sequence)),
    markHandled: () => undefined,
    signal: new AbortController().signal,
    pauseMs: 0,
  })
  return discarded
}
