import type { Settings } from '../settings/settings.ts'

/** What Lambda is told of a setting of concurrency. */
export const reserved = (concurrency: number | 'none'): number | undefined =>
  concurrency === 'none' ? undefined : concurrency

/** What the functions of a deployment reserve together: the ingest, two consumers of the table's stream, and that of the flows. */
export const reservedTogether = ({ ingestConcurrency, changeConcurrency, flowConcurrency }: Settings): number =>
  [ingestConcurrency, changeConcurrency, changeConcurrency, flowConcurrency].reduce<number>(
    (sum, concurrency) => sum + (reserved(concurrency) ?? 0),
    0,
  )
