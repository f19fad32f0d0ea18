import { measure } from '../../core/logging/invocation.ts'
import { readHead } from '../../table/head.ts'
import { heldCommits } from '../log/held-commits.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { openTree, type Reached, readNewest, sealTree } from './seal-tree.ts'
import { pathOf, type Sealing } from './signed-objects.ts'

/** So many leaves under one signature: their tiles are held in memory until it is there. */
const mostLeaves = 50_000

/**
 * Seals the change log of an account as far as it is held (S2.3).
 * @throws SealDamage for a log that does not hold
 */
export async function sealChanges(sealing: Sealing, deadline: number): Promise<void> {
  const { account, lease } = sealing
  const damage = (problem: 'behind' | 'diverged') => new SealDamage(problem, pathOf(sealing, 'checkpoint'))
  const { sequence: last } = await readHead(account)
  for (let more = true; more && Date.now() < deadline; ) {
    more = false
    const { state } = lease
    const reached: Reached & { sequence: number; time: number } = {
      from: state?.from ?? null,
      sequence: state?.sequence ?? 0,
      time: state?.time ?? 0,
    }
    const newest = await readNewest(sealing)
    const { unfinished } = newest
    const tree = await openTree(sealing)
    const target = unfinished?.checkpoint.size ?? tree.size + mostLeaves
    let read = 0
    const after = { account, sequence: reached.sequence, time: reached.time, leaves: tree.size }
    for await (const commit of heldCommits(after, last)) {
      const isOlder = !commit.isNumbered || lease.generation > 1
      if (!state && tree.size === 0 && isOlder) reached.from ??= commit.leaves[0]?.id ?? null
      for (const { id, hash } of commit.leaves) tree.add(id, hash)
      Object.assign(reached, { sequence: commit.sequence, time: commit.time })
      read++
      more = tree.size >= target || Date.now() > deadline
      if (more) break
    }
    const grown = tree.size - tree.from
    if (unfinished && tree.size !== target) {
      if (tree.size > target) throw damage('diverged')
      if (reached.sequence === last) throw damage('behind')
      // Their entries are on their way.
      return
    }
    if (grown > 0) {
      await sealTree(sealing, tree, reached, newest)
      measure('entries_sealed', grown)
    } else if (state && read > 0) {
      await lease.store({ ...state, ...reached })
    }
  }
}
