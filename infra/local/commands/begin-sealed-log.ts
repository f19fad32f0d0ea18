import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

await runTask('begin-sealed-log', () => readEvent('begin-sealed-log'))
