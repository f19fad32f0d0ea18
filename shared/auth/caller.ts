import type { AccountRow } from '../domain/accounts/account.ts'
import { type ActorRow, hasPortalAccess, portalScopesOf } from '../domain/actors/actor.ts'
import type { ApiTokenRow } from '../domain/api-tokens/api-token.ts'
import type { ClientTokenRow } from '../domain/client-tokens/client-token.ts'
import type { GatewayTokenRow } from '../domain/gateway-tokens/gateway-token.ts'
import type { GatewayRow } from '../domain/gateways/gateway.ts'
import type { PortalSessionRow } from '../domain/portal-sessions/portal-session.ts'

/** Owner of a request's credential, with the rows read when the request arrived. */
export type Caller =
  | { kind: 'api'; account: AccountRow; actor: ActorRow; token: ApiTokenRow }
  | { kind: 'portal'; account: AccountRow; actor: ActorRow; token: PortalSessionRow }
  | { kind: 'client'; account: AccountRow; actor: ActorRow; token: ClientTokenRow }
  | { kind: 'gateway'; account: AccountRow; token: GatewayTokenRow; gateway: GatewayRow | null }

/** Kinds of callers that an operation accepts, by the credential that the operation requires. */
type Kinds = {
  api: 'api' | 'portal'
  session: 'api' | 'portal'
  portal: 'portal'
  client: 'client'
  gateway: 'gateway'
}
export type Credential = keyof Kinds

/** Kinds of callers by credential. Portal sessions can also use the account API (A3.1(2)). */
export const kindsOf: { readonly [C in Credential]: readonly Kinds[C][] } = {
  api: ['api', 'portal'],
  session: ['api', 'portal'],
  portal: ['portal'],
  client: ['client'],
  gateway: ['gateway'],
}

export type CallerOf<C extends Credential> = Extract<Caller, { kind: Kinds[C] }>

/** True for callers of the account API. */
export const isAdministering = (caller: Caller | undefined): caller is CallerOf<'api'> =>
  caller?.kind === 'api' || caller?.kind === 'portal'

/** Returns the scopes of a caller. A portal session has the scopes that its actor has at the time of the request. */
export const scopesOf = (caller: CallerOf<'api'>): string[] =>
  caller.kind === 'portal' ? portalScopesOf(caller.actor) : caller.token.scopes

/** True for actors that the account API serves (A3.2): API clients with their tokens, and people with portal access. */
export const mayUseApi = ({ kind, actor }: CallerOf<'api'>): boolean =>
  actor.type === 'api_client' || actor.type === 'account_admin_user' || (kind === 'portal' && hasPortalAccess(actor))
