import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

const damaged = ({ data }: Record<string, unknown>) =>
  ((data as { damages: unknown[] } | undefined)?.damages.length ?? 0) > 0

await runTask('verify-change-log', () => readEvent('verify'), damaged)
