import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { NpmService } from './npm-service.ts'
import type { Lines, Sizes } from './rounds.ts'
import { concurrently, createGroup, putMembers, requestsOfMix, sendMix } from './workload.ts'

/** Variables that make each Node process of a service write its counts to a folder (`counting-process.ts`). */
export const countingVariables = (folder: string): Record<string, string> => ({
  COUNTS_DIR: folder,
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('./counting-process.ts', import.meta.url))}`,
})

/** Reads the counts of all processes: renames, and requests to the engine by operation. */
function readCounts(folder: string): [string, number][] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.flatMap((file) => Object.entries<number>(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
}

const sumOf = (counts: [string, number][], names: RegExp): number =>
  counts.reduce((sum, [name, count]) => sum + (names.test(name) ? count : 0), 0)

/** Time after which the consumers of a change are idle and the counts are written, in seconds. */
const settleSeconds = 0.5

/** Counts the requests of a service started with `countingVariables`. */
export async function measureCounts(
  { call }: NpmService,
  folder: string,
  { groupId, actorIds }: { groupId: string; actorIds: string[] },
  { requests, idleSeconds, listed }: Sizes,
): Promise<Lines> {
  /** Counts renames, requests or transactions during `work` and its settling. */
  const during = async (work: () => Promise<unknown>) => {
    const before = readCounts(folder)
    await work()
    await sleep(settleSeconds * 1_000)
    const after = readCounts(folder)
    return (names: RegExp) => sumOf(after, names) - sumOf(before, names)
  }
  const getGroups = () => concurrently(1, requests, () => call('GET', `/groups/${groupId}`))
  // Warms the caches, and waits until the follow-up of earlier changes is done.
  await during(getGroups)
  const idle = await during(() => sleep(idleSeconds * 1_000))
  const gets = await during(getGroups)
  const creates = await during(() => concurrently(1, requests, () => createGroup(call)))
  const mixes = await during(() => concurrently(1, requests, () => sendMix(call)))
  await during(() => putMembers(call, groupId, actorIds))
  const members = await during(async () => {
    await putMembers(call, groupId, [])
    await putMembers(call, groupId, actorIds)
  })
  const [renames, requested, transactions] = [/^rename$/, /^[A-Z]/, /^TransactWrite/]
  return {
    'engine requests per get': gets(requested) / requests,
    'engine requests per create': creates(requested) / requests,
    'engine requests per mixed request': mixes(requested) / requests / requestsOfMix,
    'engine requests per idle second': idle(requested) / (idleSeconds + settleSeconds),
    'renames per 100 creates': (100 * creates(renames)) / requests,
    [`transactions of members ${listed} → 0 → ${listed}`]: members(transactions),
  }
}
