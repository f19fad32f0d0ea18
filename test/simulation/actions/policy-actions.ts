import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import type { Authorization, Policy } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { sizes } from './populate.ts'
import { randomConditions } from './random-conditions.ts'

type Changes = Partial<Pick<Policy, 'group' | 'resource' | 'conditions' | 'disabled' | 'uploads'>>

const isInternet = ({ model }: SimulatedAccount, resource: string) => model.resources.get(resource)?.type === 'internet'

/** Picks a group and a resource for which a policy is possible but does not exist yet. Returns null after 20 tries. */
function freePair(account: SimulatedAccount, group?: string): { group: string; resource: string } | null {
  const { model, random } = account
  for (let tries = 0; tries < 20; tries++) {
    const pair = { group: group ?? random.pick([...model.groups.keys()]), resource: account.someResourceId() }
    const exists = [...model.policies.values()].some(
      (policy) => policy.group === pair.group && policy.resource === pair.resource,
    )
    if (!exists && (model.internetResource || !isInternet(account, pair.resource))) return pair
  }
  return null
}

async function change(account: SimulatedAccount, policy: Policy, changes: Changes, others = {}): Promise<Touched> {
  const { group, resource, conditions, disabled, uploads } = changes
  const sent = {
    group_id: group,
    resource_id: resource,
    conditions,
    is_disabled: disabled,
    flow_log_uploads_enabled: uploads,
    ...others,
  }
  await account.administer(updatePolicy, { method: 'PATCH', params: { id: policy.id }, body: { policy: sent } })
  const rests = ({ group, resource, conditions, uploads }: Policy) =>
    JSON.stringify([group, resource, conditions, uploads])
  const before = { ...policy }
  Object.assign(policy, changes)
  if (isInternet(account, policy.resource)) policy.uploads = false
  // Ends the policy's authorizations if the change affects a field that they depend on (A30).
  if ((policy.disabled && !before.disabled) || rests(policy) !== rests(before)) account.model.endPolicy(policy.id)
  return { resources: [before.resource, policy.resource] }
}

export async function addPolicy(account: SimulatedAccount, group?: string): Promise<Touched> {
  const { model, random } = account
  const pair = freePair(account, group)
  if (!pair) return {}
  const conditions = randomConditions(random, [...model.providers.keys()])
  const policy = { group_id: pair.group, resource_id: pair.resource, conditions }
  const { id, flow_log_uploads_enabled } = await account.administer(createPolicy, { method: 'POST', body: { policy } })
  model.policies.set(id, { id, ...pair, conditions, disabled: false, uploads: flow_log_uploads_enabled })
  return { resources: [pair.resource] }
}

async function removePolicy(account: SimulatedAccount, policy: Policy): Promise<Touched> {
  await account.administer(deletePolicy, { method: 'DELETE', params: { id: policy.id } })
  account.model.deletePolicy(policy.id)
  return { resources: [policy.resource] }
}

function somePolicy({ model, random }: SimulatedAccount): Policy {
  const used = [...new Set([...model.authorizations.values()].map(({ policy }) => policy))]
  return model.policies.get(
    used.length > 0 && random.chance(0.4) ? random.pick(used) : random.pick([...model.policies.keys()]),
  ) as Policy
}

/** Changes the description and resends the conditions unchanged, which must not affect access. */
async function describe(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  const used = [...model.authorizations.values()].map(({ policy }) => model.policies.get(policy) as Policy)
  const conditional = used.filter(({ conditions }) => conditions.length > 0)
  if (conditional.length === 0) return {}
  const policy = random.pick(conditional)
  const touched = await change(
    account,
    policy,
    { conditions: policy.conditions },
    { description: `Note ${account.clock.now}` },
  )
  const authorization = [...model.authorizations.values()].find((one) => one.policy === policy.id) as Authorization
  return { ...touched, gateways: [authorization.gateway] }
}

/** Makes a random administrative change to a policy (A16). */
export async function administerPolicies(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  if (model.policies.size < sizes.policies * 0.9) return addPolicy(account)
  const policy = somePolicy(account)
  // Assigns a group to an orphaned policy, because no other change of the policy is possible until then (A16.2(3)).
  const orphan = [...model.policies.values()].find(({ group }) => group === null)
  if (orphan && random.chance(0.3)) {
    const pair = freePair(account)
    return pair ? change(account, orphan, pair) : {}
  }
  if (policy.group === null) return removePolicy(account, policy)
  const pair = freePair(account)
  return random.weighted<() => Promise<Touched>>([
    [4, () => change(account, policy, { disabled: !policy.disabled })],
    [4, () => change(account, policy, { conditions: randomConditions(random, [...model.providers.keys()]) })],
    [3, () => describe(account)],
    [1, () => change(account, policy, { uploads: !policy.uploads })],
    [1, () => change(account, policy, pair ?? {})],
    [2, () => addPolicy(account)],
    [2, () => removePolicy(account, policy)],
  ])()
}
