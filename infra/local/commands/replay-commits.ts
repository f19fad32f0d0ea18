import { fieldsOf } from '#shared/core/json/is-object.ts'
import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

const failed = ({ data }: Record<string, unknown>) => {
  const { kept } = fieldsOf(data)
  return Array.isArray(kept) && kept.length > 0
}

await runTask('replay-commits', () => readEvent('replay-commits'), failed)
