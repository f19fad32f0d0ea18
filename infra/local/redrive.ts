import { runTask } from './run-task.ts'

const failedAgain = ({ kept }: Record<string, unknown>) => (kept as unknown[]).length > 0

await runTask('redrive-failed-batches', async () => ({}), failedAgain)
