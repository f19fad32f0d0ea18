import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

await runTask('index-change-log', () => (process.argv.length > 2 ? readEvent('index-change-log') : Promise.resolve({})))
