import { Duration } from 'aws-cdk-lib'
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'

/** A thing that a person must look at. */
export type Watch = {
  /** Logical id of its alarm. */
  id: string
  metric: IMetric
  /** The alarm goes off when the metric is above it, or below it, */
  when: { above: number } | { below: number }
  /** for so many periods in a row. */
  periods: number
  what: string
  /** File of `docs/runbooks`. */
  runbook: string
  /**
   * What no data means: that its subject is dead, which the alarm says then; or that nothing of the kind has happened,
   * where another alarm tells whether the subject lives.
   */
  silence: 'dead' | { toldBy: string }
}

export const fiveMinutes = Duration.minutes(5)
