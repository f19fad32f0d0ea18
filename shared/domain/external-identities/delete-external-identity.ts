import type { Transaction } from '../../commit/transaction.ts'
import { getRow, rowsBy } from '../../table/read.ts'
import { authProviders, providerKinds } from '../auth-providers/auth-provider.ts'
import { type ClientTokenRow, clientTokens } from '../client-tokens/client-token.ts'
import { deleteClientToken } from '../client-tokens/delete-client-token.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'

/**
 * Stages the deletion of identities of one actor, first of the client tokens that providers of their issuers made for
 * it (A27); `more` when those did not fit.
 */
export async function stageIdentityDeletions(
  transaction: Transaction,
  identities: ExternalIdentityRow[],
): Promise<'done' | 'more'> {
  const [first] = identities
  if (!first) return 'done'
  const issuers = new Set(identities.map(({ issuer }) => issuer))
  for (const token of await tokensOfIssuers(transaction, first.actor_id, issuers)) {
    if (!transaction.hasRoom()) return 'more'
    deleteClientToken(transaction, token)
  }
  for (const identity of identities) {
    if (!transaction.hasRoom()) return 'more'
    transaction.delete(externalIdentities, identity)
  }
  return 'done'
}

/** The actor's client tokens that providers of these issuers made. */
export async function tokensOfIssuers(
  transaction: Transaction,
  actorId: string,
  issuers: Set<string>,
): Promise<ClientTokenRow[]> {
  const { accountId } = transaction
  const tokens = await rowsBy(clientTokens, accountId, 'actor_id', actorId)
  const providers = [...new Set(tokens.flatMap(({ auth_provider_id }) => auth_provider_id ?? []))]
  const matching = await Promise.all(
    providers.map(async (id) => {
      const rows = await Promise.all(providerKinds.map((kind) => getRow(authProviders[kind], accountId, id)))
      return rows.some((row) => row && issuers.has(row.issuer)) ? [id] : []
    }),
  )
  const ids = new Set(matching.flat())
  return tokens.filter(({ auth_provider_id }) => auth_provider_id !== null && ids.has(auth_provider_id))
}

/** Stages the deletion of all identities of an actor, with what providers of their issuers made for it (A12.5). */
export const stageIdentityDeletionsOf = async (transaction: Transaction, actorId: string): Promise<'done' | 'more'> =>
  stageIdentityDeletions(transaction, await rowsBy(externalIdentities, transaction.accountId, 'actor_id', actorId))
