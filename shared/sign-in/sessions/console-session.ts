import * as v from 'valibot'
import { type CallerOf, scopesOf } from '../../auth/caller.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { type ActorRow, actorTypes } from '../../domain/actors/actor.ts'
import type { AccountVersion } from '../../table/account-version.ts'
import { accountVersionKey } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** State of the caller's session, and the number of the account's change entries (K11.G1). */
export const ConsoleSession = v.object({
  account: v.object({ id: v.string(), slug: v.string(), name: v.string() }),
  actor: v.object({ id: v.string(), name: v.string(), email: v.nullable(v.string()), type: v.picklist(actorTypes) }),
  credential: v.object({
    kind: v.picklist(['portal_session', 'api_token']),
    id: v.string(),
    context: v.nullable(v.picklist(['portal'])),
    auth_provider_id: v.nullable(v.string()),
    expires_at: v.string(),
  }),
  scopes: v.array(v.string()),
  change_count: v.nullable(v.pipe(v.number(), v.integer())),
})
export type ConsoleSession = v.InferOutput<typeof ConsoleSession>

type Facts = {
  account: AccountRow
  actor: ActorRow
  credential: ConsoleSession['credential']
  scopes: string[]
  changeCount: number | null
}

export const toConsoleSession = ({ account, actor, credential, scopes, changeCount }: Facts): ConsoleSession => ({
  account: { id: account.id, slug: account.slug, name: account.name },
  actor: { id: actor.id, name: actor.name, email: actor.email, type: actor.type },
  credential,
  scopes,
  change_count: changeCount,
})

/** Reads the state of a session with one read beyond those that authenticated the caller. */
export async function readConsoleSession(caller: CallerOf<'session'>): Promise<ConsoleSession> {
  const { kind, account, actor, token } = caller
  const version = await getItem<Partial<AccountVersion>>(accountVersionKey(account.id))
  const ofKind =
    kind === 'portal'
      ? ({ kind: 'portal_session', context: 'portal', auth_provider_id: token.auth_provider_id } as const)
      : ({ kind: 'api_token', context: null, auth_provider_id: null } as const)
  const credential = { ...ofKind, id: token.id, expires_at: token.expires_at }
  return toConsoleSession({
    account,
    actor,
    credential,
    scopes: scopesOf(caller),
    changeCount: version?.leaves ?? null,
  })
}
