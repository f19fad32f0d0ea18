import { env } from '../env.ts'

/**
 * What the service measures of itself: its unit, and what its values are told apart by. Each combination is a metric that
 * CloudWatch charges for, so none is of an account, and of an operation only where a deployment asks for it (docs/costs.md).
 */
export const metrics = {
  latency_ms: { unit: 'Milliseconds', by: 'class' },
  faults: { unit: 'Count', by: 'class' },
  lag_ms: { unit: 'Milliseconds', by: 'operation' },
  revocation_lag_ms: { unit: 'Milliseconds', by: null },
  commits_retried: { unit: 'Count', by: null },
  grants: { unit: 'Count', by: null },
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

/** What reads the streams, as `operation` of its lines and of its lag. */
export const consumerNames = ['write-change-log', 'follow-up', 'store-flow-logs'] as const

export type MetricName = keyof typeof metrics

/** What one invocation has measured: counts in sum, times each for itself. */
export type Samples = Partial<Record<MetricName, number | number[]>>

/** CloudWatch reads no more values of one metric in a line. */
const mostValues = 100

export function addSample(samples: Samples, name: MetricName, value: number): void {
  if (metrics[name].unit === 'Count') {
    samples[name] = Number(samples[name] ?? 0) + value
    return
  }
  const values = [samples[name] ?? []].flat()
  if (values.length < mostValues) samples[name] = values.length === 0 ? value : [...values, value]
}

/** How the metrics of a deployment are told apart: `classes`, or `operations` as well; `none` are made elsewhere. */
export const metricSettings = ['classes', 'operations', 'none'] as const

/** The values of a line, and the member by which CloudWatch makes metrics of them (embedded metric format). */
export function embedded(samples: Samples): Record<string, unknown> {
  const names = Object.keys(samples) as MetricName[]
  if (names.length === 0 || env.metrics === 'none') return samples
  const groups = [...Map.groupBy(names, (name) => metrics[name].by)].map(([by, members]) => ({
    Namespace: env.serviceName,
    Dimensions: [by === null ? [] : [by], ...(by === 'class' && env.metrics === 'operations' ? [['operation']] : [])],
    Metrics: members.map((name) => ({ Name: name, Unit: metrics[name].unit })),
  }))
  return { ...samples, _aws: { Timestamp: Date.now(), CloudWatchMetrics: groups } }
}
