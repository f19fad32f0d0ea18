import { consoleCookie } from '../../auth/console-cookie.ts'
import { env } from '../../core/env.ts'
import type { Origin } from '../../core/subject.ts'
import type { Draft } from '../../values/draft.ts'
import { hideRefusal, noteSignIn } from '../refusals/refusal-cause.ts'
import type { ConsoleSession } from '../sessions/console-session.ts'
import type { IssuedSession } from '../sessions/issue-session.ts'
import { redeemLocalCode } from './local-code.ts'
import { type Redeem, redeemCode } from './redeem-code.ts'

/** Redeems a code of a local server; null for every other code, and for every code in a deployment. */
async function openLocally(draft: Draft<Redeem>, origin: Origin): Promise<IssuedSession | null> {
  if (!env.isSingleMachine) return null
  const issued = await hideRefusal(null, () => redeemLocalCode(draft.done(), origin))
  if (issued) noteSignIn()
  return issued
}

/**
 * Exchanges the code of a portal sign-in for a session of the console (K11.G1). The token is only in the cookie, which scripts cannot read.
 * @throws ApiError `unauthorized`, also for a code with the context `client`
 */
export async function openConsoleSession(
  draft: Draft<Redeem>,
  origin: Origin,
): Promise<{ data: ConsoleSession; cookies: string[] }> {
  const { token, state } = (await openLocally(draft, origin)) ?? (await redeemCode(draft, origin, 'portal')).data
  if (!state) throw new Error('A portal sign-in has no session state.')
  return { data: state, cookies: [consoleCookie(state.account.slug, token)] }
}
