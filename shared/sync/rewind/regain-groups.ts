import type { Transaction } from '../../commit/transaction.ts'
import { groups } from '../../domain/groups/group.ts'
import { type PolicyRow, policies } from '../../domain/policies/policy.ts'
import { resources } from '../../domain/resources/resource.ts'
import { guardKey } from '../../table/keys.ts'
import { getRows, whichExist } from '../../table/read.ts'
import { nothingStaged, type Staged, stagedSkip } from '../plans/staged.ts'
import type { Orphaned } from './rewind-plan.ts'

/** The row, its guard, its edge and what counts that. */
const writesPerPolicy = 4

type Found = { policy: PolicyRow; hasGroup: boolean; hasResource: boolean; isTaken: boolean }

/** Why a policy stays without its group; null where it gets it. */
function refusalOf({ updated_at }: Orphaned, { policy, hasGroup, hasResource, isTaken }: Found): string | null {
  if (!hasGroup) return 'group_gone'
  // An administrator has changed it since: what that left stands.
  if (policy.updated_at !== updated_at) return 'changed_since'
  if (!hasResource) return 'resource_gone'
  return isTaken ? 'policy_exists' : null
}

/** Gives the policies that a run has orphaned their groups again: as they are now, unless another grants the same (I4.6). */
export async function regainGroups(transaction: Transaction, entries: Orphaned[]): Promise<Staged> {
  const { accountId } = transaction
  const ids = (name: 'id' | 'group_id' | 'resource_id') => entries.map((entry) => entry[name])
  const grants = entries.map(({ group_id, resource_id }) => `${group_id}#${resource_id}`)
  const [orphans, owners, targets, held] = await Promise.all([
    getRows(policies, accountId, ids('id')),
    getRows(groups, accountId, ids('group_id')),
    getRows(resources, accountId, ids('resource_id')),
    whichExist(grants.map((grant) => guardKey(accountId, 'policies.grant', grant))),
  ])
  const taken = new Set(grants.filter((_, i) => held[i]))
  const staged = nothingStaged()
  for (const [i, entry] of entries.entries()) {
    if (!transaction.hasRoom(writesPerPolicy)) break
    staged.handled++
    const [policy, grant = ''] = [orphans[i], grants[i]]
    if (!policy) stagedSkip(staged, entry.id, entry.name, 'policy_gone')
    else if (policy.group_id !== entry.group_id) {
      const found = { policy, hasGroup: !!owners[i], hasResource: !!targets[i], isTaken: taken.has(grant) }
      const refusal = refusalOf(entry, found)
      if (refusal !== null) stagedSkip(staged, entry.id, entry.name, refusal)
      else {
        taken.add(grant)
        transaction.update(policies, policy, { group_id: entry.group_id })
      }
    }
  }
  return staged
}
