/** As many commits of an account run at a time in one process; of more, all but one would only lose their race. */
const atOnce = 2

type Line = { running: number; waiting: (() => void)[] }

const lines = new Map<string, Line>()

/** Runs a task of an account when it is its turn, in the order of asking. */
export async function inTurn<T>(accountId: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(accountId) ?? { running: 0, waiting: [] }
  lines.set(accountId, line)
  if (line.running === atOnce) await new Promise<void>((resolve) => line.waiting.push(resolve))
  else line.running++
  try {
    return await task()
  } finally {
    const next = line.waiting.shift()
    if (next) next()
    else if (--line.running === 0) lines.delete(accountId)
  }
}
