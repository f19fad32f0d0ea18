import { fieldsOf } from '#shared/core/json/is-object.ts'
import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

const damaged = ({ data }: Record<string, unknown>) => {
  const { damages } = fieldsOf(data)
  return Array.isArray(damages) && damages.length > 0
}

await runTask('verify-change-log', () => readEvent('verify'), damaged)
