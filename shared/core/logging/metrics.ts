import { clock } from '../clock.ts'
import { env } from '../env.ts'

/** Metrics with unit and dimension. CloudWatch charges for each combination, so no metric has an account dimension (docs/costs.md). */
export const metrics = {
  latency_ms: { unit: 'Milliseconds', by: 'class' },
  faults: { unit: 'Count', by: 'class' },
  lag_ms: { unit: 'Milliseconds', by: 'operation' },
  revocation_lag_ms: { unit: 'Milliseconds', by: null },
  commits_retried: { unit: 'Count', by: null },
  grants: { unit: 'Count', by: null },
  refusals_unrecorded: { unit: 'Count', by: null },
  messages_sent: { unit: 'Count', by: null },
  messages_failed: { unit: 'Count', by: null },
  flows_ingested: { unit: 'Count', by: null },
  flows_stored: { unit: 'Count', by: null },
  entries_sealed: { unit: 'Count', by: null },
  sync_run_age_ms: { unit: 'Milliseconds', by: null },
  sync_runs_failed: { unit: 'Count', by: null },
  sign_ins: { unit: 'Count', by: null },
  sign_ins_refused: { unit: 'Count', by: 'reason' },
  sign_ins_failed: { unit: 'Count', by: null },
  sign_ins_guessed: { unit: 'Count', by: null },
} as const satisfies Record<string, { unit: 'Milliseconds' | 'Count'; by: 'class' | 'operation' | 'reason' | null }>

/** Names of the stream consumers, as in the `operation` of log lines and metrics. */
export const consumerNames = ['write-change-log', 'follow-up', 'store-flow-logs'] as const

export type MetricName = keyof typeof metrics

/** Samples of one invocation: the sum of each count, and all values of each duration. */
export type Samples = Partial<Record<MetricName, number | number[]>>

/** Maximum number of values per metric that CloudWatch accepts in a log line. */
const maxValues = 100

export function addSample(samples: Samples, name: MetricName, value: number): void {
  if (metrics[name].unit === 'Count') {
    samples[name] = Number(samples[name] ?? 0) + value
    return
  }
  const values = [samples[name] ?? []].flat()
  if (values.length < maxValues) samples[name] = values.length === 0 ? value : [...values, value]
}

/** Settings for the dimensions of metrics: by class, by class and operation, or no metrics at all. */
export const metricSettings = ['classes', 'operations', 'none'] as const

/** Formats samples as fields of a log line in CloudWatch's embedded metric format. */
export function metricFields(samples: Samples): Record<string, unknown> {
  const names = Object.keys(samples) as MetricName[]
  if (names.length === 0 || env.metrics === 'none') return samples
  const groups = [...Map.groupBy(names, (name) => metrics[name].by)].map(([by, members]) => ({
    Namespace: env.serviceName,
    Dimensions: [by === null ? [] : [by], ...(by === 'class' && env.metrics === 'operations' ? [['operation']] : [])],
    Metrics: members.map((name) => ({ Name: name, Unit: metrics[name].unit })),
  }))
  return { ...samples, _aws: { Timestamp: Math.floor(clock.now() / 1_000), CloudWatchMetrics: groups } }
}
