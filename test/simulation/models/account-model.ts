import type { Circumstances, Condition } from './condition-model.ts'
import { judge } from './condition-model.ts'
import { EndedSecrets } from './ended-secrets.ts'
import { type GatewayToken, GatewayTokenModel, rotationEnd } from './gateway-token-model.ts'

export type Place = { ip: string; region: string | null; lat: number | null; lon: number | null }

export type Actor = {
  id: string
  type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'
  disabled: boolean
}
export type Group = { id: string; managed: boolean; members: Set<string> }
export type Policy = {
  id: string
  group: string | null
  resource: string
  conditions: Condition[]
  disabled: boolean
  uploads: boolean
}
export type Resource = {
  id: string
  name: string
  type: string
  address: string | null
  filters: { protocol: string; ports: string[] }[]
  stack: string | null
  site: string | null
}
export type Token = { id: string; secret: string; actor: string; provider: string | null; expiresAt: number }
type Session = { id: string; key: string; version: string; leaseEnd: number }
/** Session, and the secret of the gateway token that started it. */
export type GatewaySession = Session & { secret: string }
export type Gateway = {
  id: string
  site: string
  key: string
  place: Place
  version: string
  session: GatewaySession | null
  /** Place from which the gateway sent its last request; null before the first request. */
  seen: Place | null
}
export type Client = {
  id: string
  actor: string
  installation: string
  ipv4: string
  ipv6: string
  verified: boolean
  key: string
  place: Place
  version: string
  /** Session, and the ids of its token and of its stored live connection. `connection` is null while the client is not connected (C3). */
  session: (Session & { token: string; connection: string | null }) | null
  seen: Place | null
  /** Circumstances in which the client's authorizations were last evaluated. */
  tested: Circumstances | null
}
export type Authorization = {
  id: string
  client: string
  resource: string
  policy: string
  gateway: string
  token: string
  /** Group whose membership granted the authorization. Null stands for the managed group. */
  group: string | null
  uploads: boolean
  expiresAt: number
}

/** Models the objects of an account and their dependencies, as the contract defines them. Maps keep the order of creation. */
export class AccountModel {
  /** Current time in microseconds. */
  now = 0
  internetResource = true
  readonly actors = new Map<string, Actor>()
  readonly groups = new Map<string, Group>()
  readonly policies = new Map<string, Policy>()
  readonly resources = new Map<string, Resource>()
  readonly sites = new Set<string>()
  readonly gateways = new Map<string, Gateway>()
  readonly clients = new Map<string, Client>()
  readonly tokens = new Map<string, Token>()
  readonly gatewayTokens = new GatewayTokenModel()
  /** Auth providers by id. The value is true if the provider is enabled. */
  readonly providers = new Map<string, boolean>()
  readonly authorizations = new Map<string, Authorization>()
  /** Authorizations that ended since a check last emptied the list. */
  readonly ended: Authorization[] = []
  readonly endedSecrets = new EndedSecrets()

  /** Removes expired tokens, sessions and authorizations, and the authorizations of offline clients (P1.7, P5.5(3), A31). */
  settle(now: number): void {
    this.now = now
    for (const token of this.tokens.values()) if (token.expiresAt <= now) this.deleteToken(token.id)
    this.endGatewayTokens((token) => rotationEnd(token) <= now)
    for (const device of [...this.clients.values(), ...this.gateways.values()]) {
      if (device.session && device.session.leaseEnd <= now) device.session = null
    }
    this.endAuthorizations(({ client, expiresAt }) => expiresAt <= now || this.clients.get(client)?.session == null)
  }

  endAuthorizations(which: (authorization: Authorization) => boolean): void {
    for (const authorization of this.authorizations.values()) {
      if (!which(authorization)) continue
      this.authorizations.delete(authorization.id)
      this.ended.push(authorization)
    }
  }

  /** Ends a client's session and all its authorizations (P1.7). */
  endSession(client: Client): void {
    client.session = null
    this.endAuthorizations((authorization) => authorization.client === client.id)
  }

  deleteToken(id: string): void {
    const token = this.tokens.get(id)
    if (token) this.endedSecrets.add(token.secret)
    this.tokens.delete(id)
    this.endAuthorizations(({ token }) => token === id)
    for (const client of this.clients.values()) if (client.session?.token === id) this.endSession(client)
  }

  deleteTokens(which: (token: Token) => boolean): void {
    for (const token of [...this.tokens.values()].filter(which)) this.deleteToken(token.id)
  }

  deleteClient(id: string): void {
    this.clients.delete(id)
    this.endAuthorizations(({ client }) => client === id)
  }

  deleteActor(id: string): void {
    this.deleteTokens(({ actor }) => actor === id)
    for (const client of [...this.clients.values()]) if (client.actor === id) this.deleteClient(client.id)
    for (const group of this.groups.values()) this.removeMember(group, id)
    this.actors.delete(id)
  }

  removeMember(group: Group, actorId: string): void {
    if (!group.members.delete(actorId)) return
    this.endAuthorizations(
      (authorization) => authorization.group === group.id && this.clients.get(authorization.client)?.actor === actorId,
    )
  }

  deleteGroup(id: string): void {
    const group = this.groups.get(id)
    for (const member of [...(group?.members ?? [])]) this.removeMember(group as Group, member)
    this.groups.delete(id)
    for (const policy of this.policies.values()) if (policy.group === id) policy.group = null
  }

  endPolicy(id: string): void {
    this.endAuthorizations(({ policy }) => policy === id)
  }

  deletePolicy(id: string): void {
    this.policies.delete(id)
    this.endPolicy(id)
  }

  deleteResource(id: string): void {
    for (const policy of [...this.policies.values()]) if (policy.resource === id) this.deletePolicy(policy.id)
    this.resources.delete(id)
    this.endAuthorizations(({ resource }) => resource === id)
  }

  /** Revokes gateway tokens, and ends the sessions that they started. Authorizations remain valid. */
  endGatewayTokens(which: (token: GatewayToken) => boolean): void {
    this.gatewayTokens.end(which)
    this.endTokenlessSessions()
  }

  useGatewayToken(token: GatewayToken): void {
    this.gatewayTokens.use(token)
    this.endTokenlessSessions()
  }

  rotateGatewayToken(gatewayId: string, at: number): void {
    this.gatewayTokens.rotate(gatewayId, at)
    this.endTokenlessSessions()
  }

  private endTokenlessSessions(): void {
    for (const gateway of this.gateways.values())
      if (gateway.session && !this.gatewayTokens.all.has(gateway.session.secret)) gateway.session = null
  }

  /** Revokes all client tokens, and ends all sessions and authorizations. Enabling the account restores none of them (A30, P1.7). */
  disable(): void {
    this.deleteTokens(() => true)
    for (const device of [...this.clients.values(), ...this.gateways.values()]) device.session = null
    this.endAuthorizations(() => true)
  }

  deleteGateway(id: string): void {
    this.gateways.delete(id)
    this.gatewayTokens.end(({ gateway }) => gateway === id)
    this.endAuthorizations(({ gateway }) => gateway === id)
  }

  deleteSite(id: string): void {
    for (const gateway of [...this.gateways.values()]) if (gateway.site === id) this.deleteGateway(gateway.id)
    for (const resource of [...this.resources.values()]) if (resource.site === id) this.deleteResource(resource.id)
    this.gatewayTokens.end(({ site }) => site === id)
    this.sites.delete(id)
  }

  /** Returns the facts that conditions are evaluated against when a client uses a token (A17.3). */
  conditionContextOf(client: Client, token: Token): Circumstances {
    const { ip, region } = client.place
    return { ip, region, provider: token.provider, verified: client.verified }
  }

  /** Reevaluates the client's authorizations if its circumstances have changed (P3.2). */
  reevaluate(client: Client, token: Token): void {
    const circumstances = this.conditionContextOf(client, token)
    const changed = JSON.stringify(circumstances) !== JSON.stringify(client.tested)
    client.tested = circumstances
    if (!changed) return
    this.endAuthorizations((authorization) => {
      const policy = this.policies.get(authorization.policy)
      return authorization.client === client.id && (!policy || !this.conforms(policy, circumstances))
    })
  }

  conforms({ conditions }: Policy, circumstances: Circumstances): boolean {
    return judge(conditions, circumstances, Math.floor(this.now / 1_000_000)).violated.length === 0
  }
}
