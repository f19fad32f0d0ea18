import { stageRows } from '../../commit/stage-within-capacity.ts'
import { type Sweep, sweep, sweepAll } from '../../commit/sweep.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { getRow } from '../../table/read.ts'
import { isInDomains } from '../../values/email.ts'
import { foldAscii } from '../../values/text.ts'
import { actors } from '../actors/actor.ts'
import { clientTokens, deleteClientToken } from '../client-tokens/client-token.ts'
import { portalSessions, stagePortalSessionDeletions } from '../portal-sessions/portal-session.ts'
import type { AuthProviderRow } from './auth-provider.ts'

const stageClientTokenDeletions = (transaction: Transaction, providerId: string): Promise<'done' | 'more'> =>
  stageRows(transaction, clientTokens, 'auth_provider_id', providerId, (token) => deleteClientToken(transaction, token))

export async function stageAccessEnd(transaction: Transaction, providerId: string): Promise<'done' | 'more'> {
  if ((await stageClientTokenDeletions(transaction, providerId)) === 'more') return 'more'
  return stagePortalSessionDeletions(transaction, 'auth_provider_id', providerId)
}

/** Creates a sweep that deletes the provider's client tokens and portal sessions for actors whose email is outside `domains`. */
function outsideSweep(providerId: string, domains: string[] | null): Sweep {
  const ifOutside = async <R extends { actor_id: string }>({ accountId }: Transaction, row: R): Promise<R[]> => {
    const actor = await getRow(actors, accountId, row.actor_id)
    return isInDomains(actor?.email ?? null, domains) ? [] : [row]
  }
  return sweepAll([
    sweep(clientTokens, 'auth_provider_id', providerId, ifOutside, deleteClientToken),
    sweep(portalSessions, 'auth_provider_id', providerId, ifOutside, (transaction, session) =>
      transaction.delete(portalSessions, session),
    ),
  ])
}

type Domains = AuthProviderRow['domains']

const isNarrowed = (before: Domains, after: Domains): boolean =>
  after !== null && (before === null || before.some((domain) => !after.includes(domain)))

/**
 * Returns whether a different hosted domain was set. Such a change ends all sessions, because sessions do not record their hosted domain.
 */
const isOtherHostedDomain = (before: AuthProviderRow, after: AuthProviderRow): boolean =>
  Boolean(after.hosted_domain) && foldAscii(after.hosted_domain ?? '') !== foldAscii(before.hosted_domain ?? '')

/**
 * Creates a function that ends the access that a changed provider no longer grants (A30). Each call stages one part and returns `more`
 * until all access has ended.
 */
export function accessEnder(providerId: string) {
  let endOutside: Sweep | undefined
  return async (transaction: Transaction, before: AuthProviderRow, after: AuthProviderRow) => {
    const isDisabled = after.is_disabled && !before.is_disabled
    if (isDisabled || after.issuer !== before.issuer || isOtherHostedDomain(before, after)) {
      return stageAccessEnd(transaction, providerId)
    }
    if (after.context !== before.context && after.context !== 'clients_and_portal') {
      const outcome = await (after.context === 'portal_only'
        ? stageClientTokenDeletions(transaction, providerId)
        : stagePortalSessionDeletions(transaction, 'auth_provider_id', providerId))
      if (outcome === 'more') return 'more'
    }
    if (!isNarrowed(before.domains, after.domains)) return 'done'
    endOutside ??= outsideSweep(providerId, after.domains)
    return endOutside(transaction)
  }
}

/** Fields that affect trust in a provider. After a change of any of them, sign-in codes issued earlier are refused. */
const trustFields = [
  'issuer',
  'is_disabled',
  'client_id',
  'email_verification_method',
  'email_claim',
  'hosted_domain',
] as const

export const nextTrustVersion = (before: AuthProviderRow, after: AuthProviderRow): number =>
  before.trust_version + Number(trustFields.some((field) => before[field] !== after[field]))
