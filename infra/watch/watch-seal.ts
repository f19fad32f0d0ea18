import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Watch } from './watch.ts'

/** Told by each run while the log does not hold. */
export const watchSeal = (stopped: IMetric): Watch => ({
  id: 'SealStopped',
  metric: stopped,
  when: { above: 0 },
  periods: 1,
  what: 'The log of an account is not sealed, because it does not hold: an entry, a commit record, a tile or a checkpoint is not what it was.',
  runbook: 'seal-stopped.md',
  silence: { toldBy: 'SealLogsNotRunning' },
})
