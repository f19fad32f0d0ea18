import { Line } from '../core/line.ts'

/** As many commits of an account run at a time in one process; of more, all but one would only lose their race. */
const atOnce = 2

const lines = new Map<string, Line>()

/** Runs a task of an account when it is its turn, in the order of asking. */
export async function inTurn<T>(accountId: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(accountId) ?? new Line(atOnce)
  lines.set(accountId, line)
  try {
    return await line.run(task)
  } finally {
    if (line.isIdle && lines.get(accountId) === line) lines.delete(accountId)
  }
}
