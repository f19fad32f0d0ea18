import { TaskQueue } from '../core/work/task-queue.ts'

/** As many commits of an account run at a time in one process; of more, all but one would only lose their race. */
const atOnce = 2

const lines = new Map<string, TaskQueue>()

/** Runs a task of an account when it is its turn, in the order of asking. */
export async function queueCommit<T>(accountId: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(accountId) ?? new TaskQueue(atOnce)
  lines.set(accountId, line)
  try {
    return await line.run(task)
  } finally {
    if (line.isIdle && lines.get(accountId) === line) lines.delete(accountId)
  }
}
