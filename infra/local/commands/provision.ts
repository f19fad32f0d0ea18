import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

await runTask('provision-account', () => readEvent('provision'))
