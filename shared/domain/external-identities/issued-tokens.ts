import { readAhead, stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { getRow, rowsBy } from '../../table/read.ts'
import {
  type AuthProviderRow,
  authProviders,
  type ProviderKind,
  providerKinds,
} from '../auth-providers/auth-provider.ts'
import { type ClientTokenRow, clientTokens, deleteClientToken } from '../client-tokens/client-token.ts'
import { type PortalSessionRow, portalSessions } from '../portal-sessions/portal-session.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'

export type IssuedToken = { kind: 'client'; row: ClientTokenRow } | { kind: 'portal'; row: PortalSessionRow }

export function deleteIssuedToken(transaction: Transaction, token: IssuedToken): void {
  if (token.kind === 'client') deleteClientToken(transaction, token.row)
  else transaction.delete(portalSessions, token.row)
}

export function stageIssuedTokenDeletions(transaction: Transaction, tokens: IssuedToken[]): 'done' | 'more' {
  for (const token of tokens) {
    if (!transaction.hasCapacity()) return 'more'
    deleteIssuedToken(transaction, token)
  }
  return 'done'
}

export async function tokensOfActor({ accountId }: Pick<Transaction, 'accountId'>, actorId: string) {
  const [tokens, sessions] = await Promise.all([
    rowsBy(clientTokens, accountId, 'actor_id', actorId),
    rowsBy(portalSessions, accountId, 'actor_id', actorId),
  ])
  return [
    ...tokens.map((row) => ({ kind: 'client' as const, row })),
    ...sessions.map((row) => ({ kind: 'portal' as const, row })),
  ]
}

async function tokensFrom(
  { accountId }: Pick<Transaction, 'accountId'>,
  actorId: string,
  kinds: readonly ProviderKind[],
  matches: (provider: AuthProviderRow) => boolean,
): Promise<IssuedToken[]> {
  const tokens = await tokensOfActor({ accountId }, actorId)
  const ids = [...new Set(tokens.flatMap(({ row }) => row.auth_provider_id ?? []))]
  const providers = await Promise.all(
    ids.flatMap((id) => kinds.map((kind) => getRow(authProviders[kind], accountId, id))),
  )
  const matching = new Set(providers.flatMap((provider) => (provider && matches(provider) ? [provider.id] : [])))
  return tokens.filter(({ row }) => matching.has(row.auth_provider_id ?? ''))
}

export const tokensOfKind = (transaction: Pick<Transaction, 'accountId'>, actorId: string, kind: ProviderKind) =>
  tokensFrom(transaction, actorId, [kind], () => true)

export const tokensOfIssuers = (transaction: Pick<Transaction, 'accountId'>, actorId: string, issuers: Set<string>) =>
  tokensFrom(transaction, actorId, providerKinds, ({ issuer }) => issuers.has(issuer))

type Subject = Pick<ExternalIdentityRow, 'idp_id' | 'issuer'>

export const isOtherSubject = (identity: Subject, { idp_id, issuer }: Partial<Subject>): boolean =>
  (idp_id ?? identity.idp_id) !== identity.idp_id || (issuer ?? identity.issuer) !== identity.issuer

/**
 * Stages a change of an identity. If the subject changes, first deletes the tokens issued to the old subject (A30). Returns `more` if they
 * exceed the commit's capacity.
 */
export async function stageIdentityChange(
  transaction: Transaction,
  identity: ExternalIdentityRow,
  changes: Partial<ExternalIdentityRow>,
): Promise<'done' | 'more'> {
  if (isOtherSubject(identity, changes)) {
    const tokens = await tokensOfIssuers(transaction, identity.actor_id, new Set([identity.issuer]))
    if (stageIssuedTokenDeletions(transaction, tokens) === 'more' || !transaction.hasCapacity()) return 'more'
  }
  transaction.update(externalIdentities, identity, changes)
  return 'done'
}

/**
 * Stages the deletion of identities that belong to one actor (A27). First deletes the actor's tokens from providers with the same issuers.
 */
export async function stageIdentityDeletions(
  transaction: Transaction,
  identities: ExternalIdentityRow[],
  issuedTokens?: IssuedToken[],
): Promise<'done' | 'more'> {
  const [first] = identities
  if (!first) return 'done'
  const issuers = new Set(identities.map(({ issuer }) => issuer))
  const tokens = issuedTokens ?? (await tokensOfIssuers(transaction, first.actor_id, issuers))
  if (stageIssuedTokenDeletions(transaction, tokens) === 'more') return 'more'
  for (const identity of identities) {
    if (!transaction.hasCapacity()) return 'more'
    transaction.delete(externalIdentities, identity)
  }
  return 'done'
}

export const stageAllIdentityDeletions = async (transaction: Transaction, actorId: string): Promise<'done' | 'more'> =>
  stageIdentityDeletions(transaction, await rowsBy(externalIdentities, transaction.accountId, 'actor_id', actorId))

/** Stages the deletion of an actor's client tokens and portal sessions, but not of API tokens (A30). */
export async function stageTokenDeletions(transaction: Transaction, actorId: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const tokens = readAhead((range) => rowsBy(clientTokens, accountId, 'actor_id', actorId, range))
  const sessions = readAhead((range) => rowsBy(portalSessions, accountId, 'actor_id', actorId, range))
  const outcome = await stageWithinCapacity(transaction, tokens, (token) => deleteClientToken(transaction, token))
  if (outcome === 'more') return outcome
  return stageWithinCapacity(transaction, sessions, (session) => transaction.delete(portalSessions, session))
}
