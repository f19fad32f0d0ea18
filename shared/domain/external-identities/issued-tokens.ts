import type { Transaction } from '../../commit/transaction.ts'
import { getRow, rowsBy } from '../../table/read.ts'
import { authProviders, type ProviderKind, providerKinds } from '../auth-providers/auth-provider.ts'
import { type ClientTokenRow, clientTokens } from '../client-tokens/client-token.ts'
import { deleteClientToken } from '../client-tokens/delete-client-token.ts'
import { type PortalSessionRow, portalSessions } from '../portal-sessions/portal-session.ts'

/** What lets an actor in: a client token, or a portal session. */
export type IssuedToken = { kind: 'client'; row: ClientTokenRow } | { kind: 'portal'; row: PortalSessionRow }

export function deleteIssuedToken(transaction: Transaction, token: IssuedToken): void {
  if (token.kind === 'client') deleteClientToken(transaction, token.row)
  else transaction.delete(portalSessions, token.row)
}

/** Stages the end of client tokens and portal sessions; `more` when some did not fit. */
export function stageIssuedTokenDeletions(transaction: Transaction, tokens: IssuedToken[]): 'done' | 'more' {
  for (const token of tokens) {
    if (!transaction.hasRoom()) return 'more'
    deleteIssuedToken(transaction, token)
  }
  return 'done'
}

/** The client tokens and portal sessions of an actor. */
export async function tokensOfActor(
  { accountId }: Pick<Transaction, 'accountId'>,
  actorId: string,
): Promise<IssuedToken[]> {
  const [tokens, sessions] = await Promise.all([
    rowsBy(clientTokens, accountId, 'actor_id', actorId),
    rowsBy(portalSessions, accountId, 'actor_id', actorId),
  ])
  return [
    ...tokens.map((row) => ({ kind: 'client' as const, row })),
    ...sessions.map((row) => ({ kind: 'portal' as const, row })),
  ]
}

/** The client tokens and portal sessions that providers of a kind gave an actor. */
export async function tokensOfKind(
  transaction: Pick<Transaction, 'accountId'>,
  actorId: string,
  kind: ProviderKind,
): Promise<IssuedToken[]> {
  const tokens = await tokensOfActor(transaction, actorId)
  const ofKind = await Promise.all(
    tokens.map(async ({ row: { auth_provider_id: id } }) =>
      id === null ? null : getRow(authProviders[kind], transaction.accountId, id),
    ),
  )
  return tokens.filter((_, i) => ofKind[i])
}

/** The client tokens and portal sessions that providers of these issuers gave an actor. */
export async function tokensOfIssuers(
  transaction: Pick<Transaction, 'accountId'>,
  actorId: string,
  issuers: Set<string>,
): Promise<IssuedToken[]> {
  const { accountId } = transaction
  const tokens = await tokensOfActor(transaction, actorId)
  const providers = [...new Set(tokens.flatMap(({ row }) => row.auth_provider_id ?? []))]
  const matching = await Promise.all(
    providers.map(async (id) => {
      const rows = await Promise.all(providerKinds.map((kind) => getRow(authProviders[kind], accountId, id)))
      return rows.some((row) => row && issuers.has(row.issuer)) ? [id] : []
    }),
  )
  const ids = new Set(matching.flat())
  return tokens.filter(({ row }) => row.auth_provider_id !== null && ids.has(row.auth_provider_id))
}
