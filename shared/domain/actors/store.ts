import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { listWithLive } from '../../table/list-with-live.ts'
import { getRow } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import type { Page } from '../../values/page.ts'
import { accounts } from '../accounts/account.ts'
import { checkLimit, limitReached } from '../accounts/check-limit.ts'
import { countMonthlyActiveUsers } from '../accounts/monthly-active-users.ts'
import { type LastUse, lastSeen } from '../api-tokens/last-seen.ts'
import { stageIdentityDeletionsOf } from '../external-identities/delete-external-identity.ts'
import { stageIssuedTokenDeletions, tokensOfKind } from '../external-identities/issued-tokens.ts'
import { stagePortalSessionDeletions } from '../portal-sessions/stage-portal-session-deletions.ts'
import { type ActorInput, type ActorRow, type ActorType, actors, actorTypes, isPerson } from './actor.ts'
import { checkCreate, checkTypeChange } from './actor-rules.ts'
import { checkReach } from './check-reach.ts'
import { stageActorDeletion, stageTokenDeletions } from './delete-actor.ts'

const shown = async (account: string, row: ActorRow) => {
  const [last_seen_at = null] = await lastSeen(account, actors.name, [row.id])
  return { data: { ...row, last_seen_at } }
}

export async function list(account: string, page: Page) {
  const { email, ...others } = page.filters
  const edges = email === undefined ? others : { email: foldAscii(email), ...others }
  const { listed, metadata } = await listWithLive<ActorRow, LastUse>(
    actors,
    account,
    page,
    { live: ['last_seen_at'] },
    edges,
  )
  return { data: listed.map(({ row, live }) => ({ ...row, last_seen_at: live?.last_seen_at ?? null })), metadata }
}

export async function get(account: string, id: string) {
  const actor = await getRow(actors, account, id)
  if (!actor) throw notFound()
  return shown(account, actor)
}

type Change = Draft<Partial<ActorInput>>

/** @throws ApiError `scope_exceeded`, `limit_reached`, then `validation_failed` (A12.2) */
export const create = (author: Author, sent: { type?: unknown }, draft: () => Draft<ActorInput>) =>
  commit(author, async (transaction) => {
    if (sent.type === 'account_admin_user') checkAdministration(author, 'Creating an administrator')
    await checkLimits(
      transaction,
      actorTypes.find((known) => known === sent.type),
    )
    const checked = draft()
    await checkEmailFree(transaction, checked)
    const input = checkCreate(checked)
    const row = transaction.insert(actors, {
      name: input.name,
      type: input.type,
      email: input.email ?? null,
      allow_email_otp_sign_in: input.allow_email_otp_sign_in ?? false,
      created_by_directory_id: null,
      is_disabled: input.is_disabled ?? false,
    })
    return { data: { ...row, last_seen_at: null } }
  })

/** The limits of A11 in its order; a missing or unknown type tests none. */
async function checkLimits(transaction: Transaction, type: ActorType | undefined): Promise<void> {
  if (type === 'account_user' || type === 'account_admin_user') {
    const account = await transaction.get(accounts, transaction.accountId)
    const monthly = account?.limits.monthly_active_users_count ?? null
    if (monthly === null) await checkLimit(transaction, 'users')
    else if ((await countMonthlyActiveUsers(transaction.accountId)) >= monthly)
      throw limitReached('monthly_active_users')
  }
  if (type === 'account_admin_user') await checkLimit(transaction, 'account_admin_users')
  if (type === 'service_account') await checkLimit(transaction, 'service_accounts')
  if (type === 'api_client') await checkLimit(transaction, 'api_clients')
}

async function checkEmailFree(transaction: Transaction, draft: Change, except?: ActorRow): Promise<void> {
  const { email } = draft.fields
  if (email && (await transaction.isTaken('actors.email', foldAscii(email), except))) {
    draft.reject('email', 'has already been taken')
  }
}

export async function update(author: Author, id: string, draft: () => Change) {
  const row = await commitInParts(author, async (transaction) => {
    const actor = await transaction.get(actors, id)
    if (!actor) throw notFound()
    const checked = draft()
    await checkReach(author, transaction, actor, checked.fields)
    protect(author, transaction, actor, checked.fields)
    if (actor.type === 'account_user' && checked.fields.type === 'account_admin_user') {
      await checkLimit(transaction, 'account_admin_users')
    }
    checkTypeChange(checked, actor)
    await checkEmailFree(transaction, checked, actor)
    const input = checked.done()
    if (input.is_disabled === true && !actor.is_disabled) {
      if ((await stageTokenDeletions(transaction, actor.id)) === 'more') return 'more'
    }
    if (actor.type === 'account_admin_user' && input.type === 'account_user') {
      if ((await stagePortalSessionDeletions(transaction, 'actor_id', actor.id)) === 'more') return 'more'
    }
    if (input.allow_email_otp_sign_in === false && actor.allow_email_otp_sign_in) {
      const tokens = await tokensOfKind(transaction, actor.id, 'email_otp')
      if (stageIssuedTokenDeletions(transaction, tokens) === 'more') return 'more'
    }
    // An identity was found by the email it had (A12.5); a change of case finds the same.
    if (input.email !== undefined && foldAscii(input.email ?? '') !== foldAscii(actor.email ?? '')) {
      if ((await stageIdentityDeletionsOf(transaction, actor.id)) === 'more') return 'more'
    }
    return { done: transaction.update<ActorRow>(actors, actor, input) }
  })
  return shown(author.accountId, row)
}

export const remove = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const actor = await transaction.get(actors, id)
    if (!actor) throw notFound()
    protect(author, transaction, actor, 'delete')
    if ((await stageActorDeletion(transaction, actor)) === 'more') return 'more'
    const { data } = await shown(author.accountId, actor)
    return { done: { data } }
  })

/** The acting actor keeps itself, and an account keeps an enabled admin (A12.4). */
function protect(
  author: Author,
  transaction: Transaction,
  actor: ActorRow,
  change: Partial<ActorInput> | 'delete',
): void {
  const deletes = change === 'delete'
  const changesType = !deletes && change.type !== undefined && change.type !== actor.type
  const disables = !deletes && change.is_disabled === true
  if (actor.id === author.subject?.actor_id && (deletes || disables || changesType)) {
    throw new ApiError('own_actor', 'An actor cannot delete, disable or change the type of itself.')
  }
  const leaves = deletes || disables || (changesType && isPerson(actor.type))
  const isLast =
    actor.type === 'account_admin_user' &&
    !actor.is_disabled &&
    transaction.count('actors.enabled.account_admin_user') <= 1
  if (leaves && isLast) throw new ApiError('last_admin', 'This is the last enabled administrator of the account.')
}
