import { isDeepStrictEqual } from 'node:util'
import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { invalid } from '../../core/errors.ts'
import type { ScanTests } from '../../table/scan-rows.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { checkFeature } from '../accounts/check-limit.ts'
import { groups } from '../groups/group.ts'
import { disabledTests, getRendered, listTested } from '../reads.ts'
import { resources } from '../resources/resource.ts'
import { deletePolicy, type PolicyInput, type PolicyRow, policies } from './policy.ts'

type Change = Draft<Partial<PolicyInput>>

/** Tests of the filters of policies that have no index (K11.G13). A policy without a group is orphaned. */
const tests: ScanTests<PolicyRow> = {
  ...disabledTests,
  orphaned: ({ row }, value) => String(row.group_id === null) === value,
}

export const list = (account: string, page: Page) => listTested(policies, account, page, tests)

export const get = (account: string, id: string) => getRendered(policies, account, id)

/** Reads the group and resource of a policy. Rejects unknown ids. Rejects the Internet Resource if the account lacks that feature. */
async function readGroupAndResource(transaction: Transaction, draft: Change) {
  const { group_id, resource_id } = draft.fields
  const [group, resource] = await Promise.all([
    group_id === undefined ? null : transaction.get(groups, group_id),
    resource_id === undefined ? null : transaction.get(resources, resource_id),
  ])
  if (group_id !== undefined && !group) draft.reject('group_id', 'does not exist')
  if (resource_id !== undefined && !resource) draft.reject('resource_id', 'does not exist')
  if (resource?.type === 'internet') await checkFeature(transaction, 'internet_resource')
  return { group, resource }
}

async function checkPair(transaction: Transaction, draft: Change, policy?: PolicyRow): Promise<void> {
  const { group_id = policy?.group_id, resource_id = policy?.resource_id } = draft.fields
  const isTaken = group_id && (await transaction.isTaken('policies.grant', `${group_id}#${resource_id}`, policy))
  if (isTaken) draft.reject('base', 'a policy for this group and resource already exists')
}

export const create = (author: Author, draft: () => Draft<PolicyInput>) =>
  commit(author, async (transaction) => {
    const checked = draft()
    const { group, resource } = await readGroupAndResource(transaction, checked)
    if (!group || !resource) throw invalid(checked.faults)
    await checkPair(transaction, checked)
    const input = checked.done()
    const row = transaction.insert(policies, {
      group_id: input.group_id,
      group_idp_id: group.idp_id,
      group_idp_provider: null,
      resource_id: input.resource_id,
      description: input.description ?? null,
      conditions: input.conditions ?? [],
      // Disables flow logs for the Internet Resource, for which flows are never reported (A16.2).
      flow_log_uploads_enabled: resource.type !== 'internet' && (input.flow_log_uploads_enabled ?? true),
      is_disabled: input.is_disabled ?? false,
    })
    return { data: row }
  })

const grounds = ['conditions', 'group_id', 'resource_id', 'flow_log_uploads_enabled'] as const

export const update = (author: Author, id: string, sent: object, draft: () => Change) =>
  commit(author, async (transaction) => {
    const policy = await transaction.existing(policies, id)
    const checked = draft()
    const { group } = await readGroupAndResource(transaction, checked)
    const empty = Object.keys(sent).length === 0
    if (policy.group_id === null && checked.fields.group_id === undefined && !checked.has('group_id') && !empty) {
      checked.reject('group_id', "can't be blank")
    }
    await checkPair(transaction, checked, policy)
    const input = checked.done()
    const target = await transaction.get(resources, input.resource_id ?? policy.resource_id)
    const data = transaction.update(policies, policy, {
      ...input,
      ...(group && { group_idp_id: group.idp_id }),
      ...(target?.type === 'internet' && { flow_log_uploads_enabled: false }),
    })
    const isEnded = data.is_disabled && !policy.is_disabled
    // Revokes authorizations that the old policy granted. Clients that still have access get new authorizations (A30).
    const isChanged = grounds.some((name) => !isDeepStrictEqual(data[name], policy[name]))
    if (isEnded || isChanged) transaction.revoke({ by: 'policy', id })
    return { data }
  })

export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const policy = await transaction.existing(policies, id)
    deletePolicy(transaction, policy)
    return { data: policy }
  })
