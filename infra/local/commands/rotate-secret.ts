import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

await runTask('rotate-service-secret', () => readEvent('rotate-secret'))
