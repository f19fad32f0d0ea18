import { isDeepStrictEqual } from 'node:util'
import type { Change, CommitRecord } from '../../commit/commit-record.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import { gatewayTokens } from '../../domain/gateway-tokens/gateway-token.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { resources } from '../../domain/resources/resource.ts'
import type { SessionEnd } from '../../live/send-message.ts'

/** Creates an empty notification. It collects how an account's commits and ended authorizations affect connected devices (C5). */
export const emptyNotification = () => ({
  /** Authorizations that were deleted before their expiry. */
  endedAuthorizations: [] as { gateway: string; client: string }[],
  /** Changed resources. Gateways and clients with access to them are notified. */
  resources: new Set<string>(),
  /** Groups whose access changed. */
  groups: new Set<string>(),
  /** Actors whose groups changed. */
  actors: new Set<string>(),
  /** Clients whose verification changed. */
  clients: new Set<string>(),
  /** True if a change to the account's features affects all clients. */
  everyone: false,
  /** Reasons for ended sessions, by the id of their token, device, actor or account. */
  sessionEnds: new Map<string, SessionEnd>(),
})

export type Notification = ReturnType<typeof emptyNotification>

type Fields = Record<string, unknown>
type Effect = (notification: Notification, change: Change) => void

/** Fields of a policy that determine access. Changes of other fields cause no nudge. */
const decisive = ['group_id', 'resource_id', 'conditions', 'is_disabled']

const differs = ({ before, after }: Change, names: string[]): boolean =>
  before === null || after === null || names.some((name) => !isDeepStrictEqual(before[name], after[name]))

const textsOf = ({ before, after }: Change, name: string): string[] =>
  [before?.[name], after?.[name]].filter((value) => typeof value === 'string')

const addTo = (set: Set<string>, texts: string[]): void => {
  for (const text of texts) set.add(text)
}

const isNowDisabled = ({ before, after }: Change): boolean =>
  after === null || (!before?.is_disabled && !!after.is_disabled)

/** Creates an effect that marks sessions as ended when their row is deleted. */
const endingBy =
  (reason: SessionEnd): Effect =>
  (notification, change) => {
    if (change.operation === 'delete') end(notification, change, reason)
  }

/** Effects of row changes on connected devices, by collection. Other collections have no effect. */
const effects: Record<string, Effect> = {
  [memberships.name]: (notification, change) => addTo(notification.actors, textsOf(change, 'actor_id')),
  [policies.name]: (notification, change) => {
    if (differs(change, decisive)) addTo(notification.groups, textsOf(change, 'group_id'))
  },
  [resources.name]: (notification, change) => {
    // Ignores created and deleted resources, which take effect through their policies.
    if (change.operation === 'update') addTo(notification.resources, textsOf(change, 'id'))
  },
  [clients.name]: (notification, change) => {
    if (change.operation === 'delete') end(notification, change, 'device')
    // Ignores a newly registered client, which is not connected yet.
    else if (change.operation === 'update' && differs(change, ['verified_at']))
      addTo(notification.clients, textsOf(change, 'id'))
  },
  [gateways.name]: endingBy('device'),
  [clientTokens.name]: endingBy('token'),
  [gatewayTokens.name]: endingBy('token'),
  [actors.name]: (notification, change) => {
    if (isNowDisabled(change)) end(notification, change, 'actor')
  },
  [accounts.name]: (notification, change) => {
    if (isNowDisabled(change)) end(notification, change, 'account')
    else if (differs(change, ['features'])) notification.everyone = true
  },
}

function end(notification: Notification, change: Change, reason: SessionEnd): void {
  for (const id of textsOf(change, 'id')) notification.sessionEnds.set(id, reason)
}

export function addCommit(notification: Notification, { changes }: Pick<CommitRecord, 'changes'>): void {
  for (const change of changes) effects[change.object]?.(notification, change)
}

/** Adds an authorization that was deleted before its expiry. Gateways drop expired authorizations without a nudge (P4). */
export function addEndedAuthorization(
  notification: Notification,
  { gateway_id, client_id, expires_at }: Fields,
  now: string,
): void {
  if (String(expires_at) > now)
    notification.endedAuthorizations.push({ gateway: String(gateway_id), client: String(client_id) })
}
