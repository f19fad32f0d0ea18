import * as v from 'valibot'
import { clock, microsOf, timestamp } from '../core/clock.ts'
import { invalid } from '../core/errors.ts'
import { takeFitting } from '../core/json/response-size.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { type ActorRow, actors } from '../domain/actors/actor.ts'
import { type ClientRow, clients } from '../domain/clients/client.ts'
import { gateways } from '../domain/gateways/gateway.ts'
import { type ConditionContext, evaluateCondition } from '../domain/policies/conditions/conditions.ts'
import { type PolicyRow, policies } from '../domain/policies/policy.ts'
import { type ResourceRow, resources } from '../domain/resources/resource.ts'
import { findPresence, isOnline, readPresences } from '../domain/sessions/presence.ts'
import { getRow, rowsBy } from '../table/read.ts'
import type { Draft } from '../values/draft.ts'
import { field } from '../values/field.ts'
import { orNull, Timestamp, Uuid } from '../values/fields.ts'
import { formatIp, parseIp } from '../values/ip.ts'
import { mustBeRegion, regionCodes } from '../values/regions.ts'
import { truncatedPolicies } from './access-list.ts'
import { choosePolicy, groupsOf, includes, isConnectable, oldestFirst, outcomeOf } from './decide.ts'

/** Token expiry for an evaluation, which ignores tokens (P6). */
const noExpiry = Number.POSITIVE_INFINITY

/**
 * Explains the access decision for an actor and a resource (P6). Uses the functions that decide on real requests, and changes nothing.
 * @throws ApiError `validation_failed` for ids that do not exist
 */
export async function evaluateAccess(
  account: AccountRow,
  draft: () => Draft<EvaluationInput>,
): Promise<{ data: Evaluation }> {
  const { actor, resource, client, input } = await readNamedRows(account.id, draft())
  const now = clock.now()
  const at = input.at ? microsOf(input.at) : now
  const [context, actorGroups, resourcePolicies, gatewayOnline] = await Promise.all([
    readContext(account.id, client, input),
    groupsOf(account.id, actor),
    rowsBy(policies, account.id, 'resource_id', resource.id),
    hasOnlineGateway(account.id, resource, now),
  ])
  const actorPolicies = resourcePolicies.filter((policy) => includes(actorGroups, policy.group_id)).sort(oldestFirst)
  const grantingPolicies = actorPolicies.filter((policy) => !policy.is_disabled)
  const verdict = verdictOf(account, actor, resource, grantingPolicies, context, at)
  const { items, more } = await takeFitting(actorPolicies.values().map((policy) => explain(policy, context, at)))
  return {
    data: {
      ...verdict,
      gateway_online: gatewayOnline,
      evaluated_at: timestamp(at),
      policies: items,
      ...(more && { truncated: ['policies' as const] }),
    },
  }
}

async function readNamedRows(account: string, draft: Draft<EvaluationInput>) {
  const { actor_id, resource_id, client_id } = draft.fields
  const [actor, resource, client] = await Promise.all([
    actor_id ? getRow(actors, account, actor_id) : null,
    resource_id ? getRow(resources, account, resource_id) : null,
    client_id ? getRow(clients, account, client_id) : null,
  ])
  if (actor_id && !actor) draft.reject('actor_id', 'does not exist')
  if (resource_id && !resource) draft.reject('resource_id', 'does not exist')
  if (client_id && (!client || client.actor_id !== actor_id)) draft.reject('client_id', 'does not exist')
  if (!actor || !resource) throw invalid(draft.faults)
  return { input: draft.done(), actor, resource, client }
}

async function readContext(
  account: string,
  client: ClientRow | null,
  input: EvaluationInput,
): Promise<ConditionContext> {
  const presence = client && (await findPresence(account, 'clients', client.id))
  return {
    client,
    subject: {
      ip: input.ip ?? presence?.last_seen_remote_ip ?? null,
      ip_region: input.region ?? presence?.last_seen_remote_ip_location_region ?? null,
      auth_provider_id: input.auth_provider_id ?? null,
    },
  }
}

async function hasOnlineGateway(account: string, { site_id }: ResourceRow, now: number): Promise<boolean> {
  if (site_id === null) return false
  const rows = await rowsBy(gateways, account, 'site_id', site_id)
  const ids = rows.map(({ id }) => id)
  return (await readPresences(account, 'gateways', ids)).some((presence) => isOnline(presence, now))
}

type Verdict = Pick<Evaluation, 'decision' | 'reason' | 'violated' | 'policy_id' | 'expires_at'>

const denial = (reason: NonNullable<Verdict['reason']>, violated: string[] = []): Verdict => ({
  decision: 'deny',
  reason,
  violated,
  policy_id: null,
  expires_at: null,
})

function verdictOf(
  account: AccountRow,
  actor: ActorRow,
  resource: ResourceRow,
  grantingPolicies: PolicyRow[],
  context: ConditionContext,
  at: number,
): Verdict {
  if (actor.is_disabled) return denial('actor_disabled')
  if (!isConnectable(account, resource)) return denial('not_connectable')
  if (grantingPolicies.length === 0) return denial('no_policy')
  const choice = choosePolicy(grantingPolicies, context, noExpiry, at)
  if ('violated' in choice) return denial('conditions_violated', choice.violated)
  return {
    decision: 'allow',
    reason: null,
    violated: [],
    policy_id: choice.policy.id,
    expires_at: endText(choice.expiresAt),
  }
}

const endText = (end: number): string | null => (end === noExpiry ? null : timestamp(end))

function explain(policy: PolicyRow, context: ConditionContext, at: number): Evaluation['policies'][number] {
  const outcome = outcomeOf(policy, context, noExpiry, at)
  return {
    id: policy.id,
    group_id: policy.group_id,
    is_disabled: policy.is_disabled,
    conforms: 'end' in outcome,
    expires_at: 'end' in outcome ? endText(outcome.end) : null,
    conditions: policy.conditions.map((condition) => {
      const { passed, until } = evaluateCondition(condition, context, at)
      return { ...condition, passed, until: until === null ? null : timestamp(until) }
    }),
  }
}

const Ip = field<string>(
  (input) => {
    const ip = typeof input === 'string' ? parseIp(input.trim()) : null
    return ip ? { value: formatIp(ip) } : { message: 'must be an IPv4 or IPv6 address' }
  },
  { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
)

const Region = v.pipe(v.string(mustBeRegion), v.trim(), v.picklist([...regionCodes], mustBeRegion))

/** Request body of an evaluation (P6): actor, resource and condition context. Null stands for the default of a field. */
export const EvaluationFields = v.object({
  actor_id: Uuid,
  resource_id: Uuid,
  at: v.optional(orNull(Timestamp)),
  ip: v.optional(orNull(Ip)),
  region: v.optional(orNull(Region)),
  auth_provider_id: v.optional(orNull(Uuid)),
  client_id: v.optional(orNull(Uuid)),
})
export type EvaluationInput = v.InferOutput<typeof EvaluationFields>

/** Response of an evaluation: the decision and its reasons (P6). */
export const Evaluation = v.object({
  decision: v.picklist(['allow', 'deny']),
  reason: v.nullable(v.picklist(['actor_disabled', 'not_connectable', 'no_policy', 'conditions_violated'])),
  violated: v.array(v.string()),
  policy_id: v.nullable(v.string()),
  expires_at: v.nullable(v.string()),
  gateway_online: v.boolean(),
  evaluated_at: v.string(),
  policies: v.array(
    v.object({
      id: v.string(),
      group_id: v.nullable(v.string()),
      is_disabled: v.boolean(),
      conforms: v.boolean(),
      expires_at: v.nullable(v.string()),
      conditions: v.array(
        v.object({
          property: v.string(),
          operator: v.string(),
          values: v.array(v.string()),
          passed: v.boolean(),
          until: v.nullable(v.string()),
        }),
      ),
    }),
  ),
  truncated: truncatedPolicies,
})
export type Evaluation = v.InferOutput<typeof Evaluation>
