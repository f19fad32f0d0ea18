import { runTask } from './run-task.ts'

const failedAgain = ({ kept }: Record<string, unknown>) => Array.isArray(kept) && kept.length > 0

await runTask('redrive-failed-batches', async () => ({}), failedAgain)
