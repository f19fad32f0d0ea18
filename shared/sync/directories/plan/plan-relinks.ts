import { type PolicyRow, policies } from '../../../domain/policies/policy.ts'
import { itemRow } from '../../../table/entity.ts'
import { partition } from '../../../table/keys.ts'
import { itemsOf } from '../../../table/read.ts'
import type { PresentGroup } from './plan-groups.ts'
import type { Planning } from './planning.ts'

/** Policies that lost their group get it back when the same provider has it again (I4.6). */
export async function planRelinks(
  { work, sheet, provider }: Planning,
  present: Map<string, PresentGroup>,
): Promise<void> {
  for await (const item of itemsOf(partition(work.accountId, policies.name))) {
    const { id, group_id, group_idp_id, group_idp_provider, resource_id }: PolicyRow = itemRow(policies, item)
    if (group_id !== null || group_idp_id === null || group_idp_provider !== provider) continue
    const found = present.get(group_idp_id)
    if (found) await sheet.add('relinked', { id, group: group_idp_id, name: found.group.name, resource_id })
  }
}
