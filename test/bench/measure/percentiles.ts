export type Percentiles = { count: number; p50: number; p90: number; p99: number; max: number }

/** Returns NaN for each percentile of an empty list. */
export function percentilesOf(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN }
}
