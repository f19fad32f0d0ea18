import { fieldsOf } from '#shared/core/json/is-object.ts'
import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

const damaged = ({ data }: Record<string, unknown>) => {
  const { findings } = fieldsOf(data)
  return Array.isArray(findings) && findings.length > 0
}

await runTask('verify-rows', () => (process.argv.length > 2 ? readEvent('verify-rows') : Promise.resolve({})), damaged)
