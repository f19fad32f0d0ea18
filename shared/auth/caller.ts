import type { AccountRow } from '../domain/accounts/account.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import type { ApiTokenRow } from '../domain/api-tokens/api-token.ts'
import type { ClientTokenRow } from '../domain/client-tokens/client-token.ts'
import type { GatewayTokenRow } from '../domain/gateway-tokens/gateway-token.ts'
import type { GatewayRow } from '../domain/gateways/gateway.ts'

/** Whose credential a request carries, as it stood when the request came in. */
export type Caller =
  | { kind: 'api'; account: AccountRow; actor: ActorRow; token: ApiTokenRow }
  | { kind: 'client'; account: AccountRow; actor: ActorRow; token: ClientTokenRow }
  | { kind: 'gateway'; account: AccountRow; token: GatewayTokenRow; gateway: GatewayRow | null }

export type CallerOf<K extends Caller['kind']> = Extract<Caller, { kind: K }>
