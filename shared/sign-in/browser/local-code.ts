import { commit } from '../../commit/commit.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { note } from '../../core/logging/invocation.ts'
import type { Origin } from '../../core/subject.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { readOneTimeItem, readOneTimeToken, takeOneTimeItem } from '../one-time-token.ts'
import { findPortalRefusal } from '../refusals/find-refusal.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { type IssuedSession, stagePortal } from '../sessions/issue-session.ts'
import { matchesChallenge, type Redeem } from './redeem-code.ts'

/** Code of a one-time sign-in as an administrator, which only a local server creates (K2.7). It is bound to no provider. */
export type LocalCode = { actor_id: string; code_challenge: string }

const sessionMicros = 28_800 * 1_000_000

/**
 * Exchanges the code of a local server for a portal session. Returns null if the code is not one of these. A wrong PKCE verifier
 * invalidates the code.
 * @throws SignInRefused
 */
export async function redeemLocalCode(
  { code, code_verifier }: Pick<Redeem, 'code' | 'code_verifier'>,
  origin: Origin,
): Promise<IssuedSession | null> {
  const token = readOneTimeToken(code, 'local')
  if (!token) return null
  const { accountId, key } = token
  const readCode = () => readOneTimeItem<LocalCode>(key, clock.now())
  const stored = await readCode()
  if (!stored) return null
  note({ account_id: accountId })
  if (!matchesChallenge(code_verifier, stored.code_challenge)) {
    await takeOneTimeItem(key, clock.now())
    throw new SignInRefused('verifier')
  }
  return commit({ accountId, subject: null }, async (transaction) => {
    // Reads the code again, because a concurrent request may have used the code in the meantime.
    if (!(await readCode())) throw new SignInRefused('code_unknown')
    const [account, actor] = await Promise.all([
      transaction.get(accounts, accountId),
      transaction.get(actors, stored.actor_id),
    ])
    const refusal = findPortalRefusal({ account, actor })
    if (refusal || !account || !actor) throw new SignInRefused(refusal ?? 'actor_unknown', actor?.id ?? null)
    transaction.remove(key)
    const expires_at = timestamp(transaction.now + sessionMicros)
    return stagePortal(transaction, { account, actor, origin }, { auth_provider_id: null, expires_at })
  })
}
