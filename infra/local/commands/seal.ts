import { runTask } from './run-task.ts'

// What the clock does every five minutes, at once.
await runTask('seal-logs', async () => ({}))
