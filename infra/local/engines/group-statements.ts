/** Statements that one transaction takes. */
const mostStatements = 100

/** Does all statements of one caller, or none: then the answer is false. */
export type WriteTogether<Caller> = (statements: unknown[], caller: Caller) => Promise<boolean>

type Waiting<Caller> = {
  statements: unknown[]
  caller: Caller
  resolve(done: boolean): void
  reject(error: unknown): void
}

/** The first of the list that fit one transaction, at least one. */
function takeGroup<Caller>(waiting: Waiting<Caller>[]): Waiting<Caller>[] {
  let count = 0
  const rest = waiting.findIndex(({ statements }, i) => {
    count += statements.length
    return i > 0 && count > mostStatements
  })
  return waiting.splice(0, rest < 0 ? waiting.length : rest)
}

/**
 * Writes what comes while a transaction is under way with the next one, all callers together, because each transaction
 * waits for the disk. Where a group is refused, each of its callers gets a transaction of its own.
 */
export function groupStatements<Caller>(transact: WriteTogether<Caller>): WriteTogether<Caller> {
  const waiting: Waiting<Caller>[] = []
  let busy = false

  const alone = ({ statements, caller, resolve, reject }: Waiting<Caller>) =>
    transact(statements, caller).then(resolve, reject)

  async function writeGroup(group: Waiting<Caller>[]): Promise<void> {
    const [first, ...others] = group
    if (!first) return
    if (others.length === 0) return alone(first)
    try {
      if (
        await transact(
          group.flatMap(({ statements }) => statements),
          first.caller,
        )
      ) {
        for (const { resolve } of group) resolve(true)
        return
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    for (const one of group) await alone(one)
  }

  async function writeAll(): Promise<void> {
    busy = true
    while (waiting.length > 0) await writeGroup(takeGroup(waiting))
    busy = false
  }

  return (statements, caller) =>
    new Promise((resolve, reject) => {
      waiting.push({ statements, caller, resolve, reject })
      if (!busy) void writeAll()
    })
}
