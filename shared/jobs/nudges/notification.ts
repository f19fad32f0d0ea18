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

/** Nothing yet of what commits and ended authorizations of one account mean to connected devices (C5). */
export const emptyNotification = () => ({
  /** Authorizations that were deleted before their end. */
  lost: [] as { gateway: string; client: string }[],
  /** Resources whose content may have changed: the gateways that hold them, and the clients that see them. */
  resources: new Set<string>(),
  /** Groups whose members can reach something else now. */
  groups: new Set<string>(),
  /** Actors whose groups changed. */
  actors: new Set<string>(),
  /** Clients that were verified, or are no more. */
  clients: new Set<string>(),
  /** Everybody, because the account's features changed. */
  everyone: false,
  /** Ids of tokens, devices, actors and the account whose sessions have ended, and why. */
  ended: new Map<string, SessionEnd>(),
})

export type Notification = ReturnType<typeof emptyNotification>

type Fields = Record<string, unknown>
type Meaning = (news: Notification, change: Change) => void

/** Fields of a policy that say who reaches what; a change of the others concerns nobody who is connected. */
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

/** Sessions end with the deletion of a row. */
const endingBy =
  (reason: SessionEnd): Meaning =>
  (news, change) => {
    if (change.operation === 'delete') end(news, change, reason)
  }

/** Meaning of the change of a row, by its collection. Other collections concern no connected device. */
const meanings: Record<string, Meaning> = {
  [memberships.name]: (news, change) => addTo(news.actors, textsOf(change, 'actor_id')),
  [policies.name]: (news, change) => {
    if (differs(change, decisive)) addTo(news.groups, textsOf(change, 'group_id'))
  },
  [resources.name]: (news, change) => {
    // A new or deleted resource comes and goes with its policies.
    if (change.operation === 'update') addTo(news.resources, textsOf(change, 'id'))
  },
  [clients.name]: (news, change) => {
    if (change.operation === 'delete') end(news, change, 'device')
    // A client that registers is not connected yet.
    else if (change.operation === 'update' && differs(change, ['verified_at']))
      addTo(news.clients, textsOf(change, 'id'))
  },
  [gateways.name]: endingBy('device'),
  [clientTokens.name]: endingBy('token'),
  [gatewayTokens.name]: endingBy('token'),
  [actors.name]: (news, change) => {
    if (isNowDisabled(change)) end(news, change, 'actor')
  },
  [accounts.name]: (news, change) => {
    if (isNowDisabled(change)) end(news, change, 'account')
    else if (differs(change, ['features'])) news.everyone = true
  },
}

function end(news: Notification, change: Change, reason: SessionEnd): void {
  for (const id of textsOf(change, 'id')) news.ended.set(id, reason)
}

/** Adds what a commit means to those who are connected. */
export function addCommit(news: Notification, { changes }: Pick<CommitRecord, 'changes'>): void {
  for (const change of changes) meanings[change.object]?.(news, change)
}

/** Adds an authorization that was deleted before its end; what expires a gateway drops by itself (P4). */
export function addEndedAuthorization(
  news: Notification,
  { gateway_id, client_id, expires_at }: Fields,
  now: string,
): void {
  if (String(expires_at) > now) news.lost.push({ gateway: String(gateway_id), client: String(client_id) })
}
