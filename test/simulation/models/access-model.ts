import type { AccountModel, Actor, Authorization, Client, Gateway, Policy, Resource, Token } from './account-model.ts'
import { type Circumstances, judge, nowhere } from './condition-model.ts'
import { eligibleGateways } from './gateway-choice-model.ts'

const isPerson = ({ type }: Actor): boolean => type === 'account_user' || type === 'account_admin_user'

const second = 1_000_000

/** Outcome of a client's request for a resource (P5.2). */
export type Decision =
  | { status: 200; authorization: Authorization }
  | { status: 201; policy: Policy; group: string | null; expiresAt: number; gateways: Gateway[] }
  | { status: 404 }
  | { status: 403; violated: string[] }
  | { status: 409; code: 'gateway_offline' | 'version_mismatch' }

/** Implements the contract's access rules without the service's code, and evaluates them on the account model. */
export class AccessModel {
  private readonly account: AccountModel

  constructor(account: AccountModel) {
    this.account = account
  }

  isInGroup(actor: Actor, groupId: string | null): boolean {
    const group = groupId === null ? undefined : this.account.groups.get(groupId)
    return group !== undefined && (group.managed ? isPerson(actor) : group.members.has(actor.id))
  }

  /** Returns the policies of a resource that apply to a group of the actor, oldest first (P6). */
  policiesFor(actor: Actor, resourceId: string): Policy[] {
    return [...this.account.policies.values()].filter(
      ({ resource, group }) => resource === resourceId && this.isInGroup(actor, group),
    )
  }

  /** True if clients can connect to the resource, regardless of its policies (P5.1). */
  isConnectable({ site, type }: Resource): boolean {
    if (site === null || type === 'static_device_pool') return false
    return type !== 'internet' || this.account.internetResource
  }

  /** Returns the ids of the resources that a client can connect to, in the order of A7.2 (P5.1). */
  connectable(client: Client, token: Token): string[] {
    const actor = this.account.actors.get(client.actor) as Actor
    const circumstances = this.account.conditionContextOf(client, token)
    return [...this.account.resources.values()]
      .filter((resource) => this.isConnectable(resource))
      .filter(({ id }) =>
        this.policiesFor(actor, id).some((policy) => !policy.disabled && this.account.conforms(policy, circumstances)),
      )
      .map(({ id }) => id)
  }

  /** Returns for each policy the time in microseconds until which it grants access, or the violated conditions (A17.3, P5.5(2)). */
  private verdicts(policies: Policy[], circumstances: Circumstances, at: number, tokenEnd = Number.POSITIVE_INFINITY) {
    return policies.map((policy) => {
      const { violated, end } = judge(policy.conditions, circumstances, Math.floor(at / second))
      if (violated.length > 0) return { policy, violated, end: 0 }
      const over = Math.min(end * second, tokenEnd) <= at
      return { policy, violated: over ? ['current_utc_datetime'] : [], end: end * second }
    })
  }

  /** Picks the policy that grants access for the longest time. If several are equal, picks the oldest (P5.3). */
  private choose(verdicts: ReturnType<AccessModel['verdicts']>) {
    const conforming = verdicts.filter(({ violated }) => violated.length === 0)
    const longest = Math.max(...conforming.map(({ end }) => end))
    return conforming.find(({ end }) => end === longest)
  }

  onlineGateways(siteId: string | null): Gateway[] {
    return [...this.account.gateways.values()].filter(({ site, session }) => site === siteId && session !== null)
  }

  /** Decides a request from a client with an active session (P5.2 from step 3 on). */
  decide(client: Client, token: Token, resourceId: string): Decision {
    const { account } = this
    const actor = account.actors.get(client.actor) as Actor
    const circumstances = account.conditionContextOf(client, token)
    const ofClient = [...account.authorizations.values()].filter((authorization) => authorization.client === client.id)
    const isLive = ({ policy, gateway }: Authorization) =>
      account.conforms(account.policies.get(policy) as Policy, circumstances) &&
      account.gateways.get(gateway)?.session != null
    const existing = ofClient.find(({ resource }) => resource === resourceId)
    if (existing && isLive(existing)) return { status: 200, authorization: existing }
    if (existing) account.endAuthorizations(({ id }) => id === existing.id)

    const resource = account.resources.get(resourceId)
    const granting = this.policiesFor(actor, resourceId).filter(({ disabled }) => !disabled)
    if (!resource || !this.isConnectable(resource) || granting.length === 0) return { status: 404 }
    const verdicts = this.verdicts(granting, circumstances, account.now, token.expiresAt)
    const chosen = this.choose(verdicts)
    if (!chosen) return { status: 403, violated: [...new Set(verdicts.flatMap(({ violated }) => violated))] }
    const online = this.onlineGateways(resource.site)
    if (online.length === 0) return { status: 409, code: 'gateway_offline' }
    const used = new Set(ofClient.filter((one) => one !== existing && isLive(one)).map(({ gateway }) => gateway))
    const gateways = eligibleGateways(online, client, ({ id }) => used.has(id))
    if (gateways.length === 0) return { status: 409, code: 'version_mismatch' }
    const { policy, end } = chosen
    const group = account.groups.get(policy.group as string)?.managed ? null : policy.group
    return { status: 201, policy, group, expiresAt: Math.min(end, token.expiresAt), gateways }
  }

  /** Evaluates access under the given circumstances at an instant in microseconds (P6). */
  evaluate(actor: Actor, resource: Resource, circumstances: Circumstances, at: number) {
    const policies = this.policiesFor(actor, resource.id)
    const all = this.verdicts(policies, circumstances, at)
    const enabled = all.filter(({ policy }) => !policy.disabled)
    const chosen = this.choose(enabled)
    const violated = [...new Set(enabled.flatMap((verdict) => verdict.violated))]
    const reason = actor.disabled
      ? 'actor_disabled'
      : !this.isConnectable(resource)
        ? 'not_connectable'
        : enabled.length === 0
          ? 'no_policy'
          : chosen
            ? null
            : 'conditions_violated'
    const allowed = reason === null ? chosen : undefined
    return {
      reason,
      violated: reason === 'conditions_violated' ? violated : [],
      policy: allowed?.policy.id ?? null,
      end: allowed && Number.isFinite(allowed.end) ? allowed.end : null,
      gatewayOnline: resource.site !== null && this.onlineGateways(resource.site).length > 0,
      policies: all,
    }
  }

  /**
   * Returns the ids of the policies that can currently grant an actor access to a resource, regardless of client locations (decision 0004).
   */
  possibleGrants(actor: Actor, resource: Resource): string[] {
    if (actor.disabled || actor.type === 'api_client' || !this.isConnectable(resource)) return []
    return this.policiesFor(actor, resource.id)
      .filter(({ disabled }) => !disabled)
      .filter(({ conditions }) => {
        const decidable = conditions.filter(
          ({ property }) =>
            property === 'current_utc_datetime' || (property === 'auth_provider_id' && !isPerson(actor)),
        )
        const { violated, end } = judge(decidable, nowhere, Math.floor(this.account.now / second))
        return violated.length === 0 && end * second > this.account.now
      })
      .map(({ id }) => id)
  }

  /** Returns the authorizations of a gateway that are in force (P5.5(3)). */
  inForce(gateway: Gateway): Authorization[] {
    return [...this.account.authorizations.values()].filter((authorization) => authorization.gateway === gateway.id)
  }
}
