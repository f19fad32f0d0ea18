import { guardKey } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'

/** Addresses tested in one round trip; the first is nearly always free, so the first round tests just it. */
const probesPerRound = 100

/** The first candidate whose value no row of a unique set holds; null when all are taken. */
export async function firstFree<T>(
  accountId: string,
  set: string,
  candidates: Iterable<T>,
  guarded: (candidate: T) => string,
): Promise<T | null> {
  const source = candidates[Symbol.iterator]()
  for (let size = 1; ; size = probesPerRound) {
    const round: T[] = []
    while (round.length < size) {
      const next = source.next()
      if (next.done) break
      round.push(next.value)
    }
    if (round.length === 0) return null
    const guards = await getItems(round.map((candidate) => guardKey(accountId, set, guarded(candidate))))
    const free = round.find((_, i) => guards[i] === undefined)
    if (free !== undefined) return free
  }
}
