import { queues } from '#shared/commit/commit-queue.ts'

/** Runs commits as another process would make them: without waiting for commits of this process that an interception holds up. */
export async function asOtherProcess<T>(work: () => Promise<T>): Promise<T> {
  const held = [...queues]
  queues.clear()
  try {
    return await work()
  } finally {
    for (const [account, queue] of held) queues.set(account, queue)
  }
}
