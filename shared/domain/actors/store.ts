import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { listWithPresence } from '../../table/list-with-presence.ts'
import { existingRow, rowsBy } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { isUnexpired } from '../../values/expiry.ts'
import type { Page } from '../../values/page.ts'
import { foldAscii } from '../../values/text.ts'
import { accounts } from '../accounts/account.ts'
import { checkLimit, limitReached } from '../accounts/check-limit.ts'
import { countMonthlyActiveUsers } from '../accounts/store.ts'
import { apiTokens, type LastUse, mayGrantAll, readLastSeen } from '../api-tokens/api-token.ts'
import {
  stageAllIdentityDeletions,
  stageIssuedTokenDeletions,
  stageTokenDeletions,
  tokensOfKind,
} from '../external-identities/issued-tokens.ts'
import { stagePortalSessionDeletions } from '../portal-sessions/portal-session.ts'
import { disabledTests } from '../reads.ts'
import { lastSeenTests } from '../sessions/presence.ts'
import {
  type ActorInput,
  type ActorRow,
  type ActorType,
  actors,
  actorTypes,
  countFullAdmins,
  hasPortalAccess,
  isFullAdmin,
  isPerson,
} from './actor.ts'

export const renderActor = async (account: string, row: ActorRow) => {
  const [last_seen_at = null] = await readLastSeen(account, actors.name, [row.id])
  return { data: { ...row, last_seen_at } }
}

export async function list(account: string, page: Page) {
  const { email, ...others } = page.filters
  const indexes = email === undefined ? others : { email: foldAscii(email), ...others }
  const attributes = { presence: ['last_seen_at'] as const, tests: { ...disabledTests, ...lastSeenTests } }
  const { entries, metadata } = await listWithPresence<ActorRow, LastUse>(actors, account, page, attributes, indexes)
  return {
    data: entries.map(({ row, presence }) => ({ ...row, last_seen_at: presence?.last_seen_at ?? null })),
    metadata,
  }
}

export const get = async (account: string, id: string) => renderActor(account, await existingRow(actors, account, id))

type Change = Draft<Partial<ActorInput>>

/** Creates an actor (A12.2). @throws ApiError `scope_exceeded`, `limit_reached` or `validation_failed`, checked in this order */
export const create = (
  author: Author,
  sent: { type?: unknown; portal_scopes?: unknown },
  draft: () => Draft<ActorInput>,
) =>
  commit(author, async (transaction) => {
    if (sent.type === 'account_admin_user') checkAdministration(author, 'Creating an administrator')
    if (sent.portal_scopes) checkAdministration(author, 'Setting portal_scopes')
    const type = actorTypes.find((candidate) => candidate === sent.type)
    await checkLimits(transaction, type)
    const checked = draft()
    await checkEmailFree(transaction, checked)
    const input = checkCreate(checked)
    const row = transaction.insert(actors, {
      name: input.name,
      type: input.type,
      email: input.email ?? null,
      allow_email_otp_sign_in: input.allow_email_otp_sign_in ?? false,
      portal_scopes: input.portal_scopes ?? null,
      created_by_directory_id: null,
      is_disabled: input.is_disabled ?? false,
    })
    return { data: { ...row, last_seen_at: null } }
  })

/** Checks the limits for an actor type (A11). A missing or unknown type has no limit. @throws ApiError `limit_reached` */
async function checkLimits(transaction: Transaction, type: ActorType | undefined): Promise<void> {
  if (type && isPerson(type)) {
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
    const actor = await transaction.existing(actors, id)
    const checked = draft()
    await checkReach(author, transaction, actor, checked.fields)
    protect(author, transaction, actor, checked.fields)
    if (actor.type === 'account_user' && checked.fields.type === 'account_admin_user') {
      await checkLimit(transaction, 'account_admin_users')
    }
    checkTypeChange(checked, actor)
    await checkEmailFree(transaction, checked, actor)
    const input = checked.done()
    const isDisabled = input.is_disabled === true && !actor.is_disabled
    if (isDisabled && (await stageTokenDeletions(transaction, id)) === 'more') return 'more'
    const isDemoted = actor.type === 'account_admin_user' && input.type === 'account_user'
    const endsSessions = isDemoted || changesPortalScopes(actor, input)
    if (endsSessions && (await stagePortalSessionDeletions(transaction, 'actor_id', id)) === 'more') return 'more'
    if (input.allow_email_otp_sign_in === false && actor.allow_email_otp_sign_in) {
      const tokens = await tokensOfKind(transaction, id, 'email_otp')
      if (stageIssuedTokenDeletions(transaction, tokens) === 'more') return 'more'
    }
    // Deletes all identities when the email changes, because they were matched by the old email (A12.5). Letter case is ignored.
    const isReaddressed = input.email !== undefined && foldAscii(input.email ?? '') !== foldAscii(actor.email ?? '')
    if (isReaddressed && (await stageAllIdentityDeletions(transaction, id)) === 'more') return 'more'
    return { done: transaction.update<ActorRow>(actors, actor, input) }
  })
  return renderActor(author.accountId, row)
}

const changesPortalScopes = (actor: ActorRow, { portal_scopes }: Partial<ActorInput>): boolean =>
  portal_scopes !== undefined && Boolean(portal_scopes) !== Boolean(actor.portal_scopes)

/**
 * Refuses to delete, disable or limit the calling actor or the last enabled full administrator, or to change their type (A12.4).
 * @throws ApiError `own_actor`, `last_admin`
 */
export function protect(
  author: Author,
  transaction: Transaction,
  actor: ActorRow,
  change: Partial<ActorInput> | 'delete',
): void {
  const deletes = change === 'delete'
  const changesType = !deletes && change.type !== undefined && change.type !== actor.type
  const disables = !deletes && change.is_disabled === true
  const changesScopes = !deletes && changesPortalScopes(actor, change)
  if (actor.id === author.subject?.actor_id && (deletes || disables || changesType || changesScopes)) {
    throw new ApiError(
      'own_actor',
      'An actor cannot delete or disable itself, or change its own type or portal scopes.',
    )
  }
  const leaves = deletes || disables || changesScopes || (changesType && isPerson(actor.type))
  const isLast =
    isFullAdmin(actor) && !actor.is_disabled && countFullAdmins((counter) => transaction.count(counter)) <= 1
  if (leaves && isLast) throw new ApiError('last_admin', 'This is the last enabled administrator of the account.')
}

/** Checks that the email of a new actor fits its type (A12.2). @throws ApiError `validation_failed` */
function checkCreate(draft: Draft<ActorInput>): ActorInput {
  const { type, email = null } = draft.fields
  const isSent = email !== null || draft.has('email')
  if (type !== undefined && isPerson(type) && !isSent) rejectEmail(draft, "can't be blank")
  if (type !== undefined && !isPerson(type) && isSent) rejectEmail(draft, 'must be blank')
  if (type !== undefined) checkPortalScopes(draft, type)
  return draft.done()
}

/** Checks a change of type (A12.3), and that a changed email fits the actor's type. */
function checkTypeChange(draft: Draft<Partial<ActorInput>>, actor: ActorRow): void {
  const { type = actor.type, email } = draft.fields
  if (type !== actor.type && !isPerson(actor.type)) {
    draft.reject('type', 'service accounts and API clients cannot change their type')
  } else if (!isPerson(type) && isPerson(actor.type)) {
    draft.reject('type', 'users and admins cannot become service accounts or API clients')
  }
  if (email === null && isPerson(actor.type)) rejectEmail(draft, "can't be blank")
  if (email && !isPerson(actor.type)) rejectEmail(draft, 'must be blank')
  checkPortalScopes(draft, actor.type)
}

function checkPortalScopes(draft: Change, type: ActorType): void {
  if (draft.fields.portal_scopes && !isPerson(type)) draft.reject('portal_scopes', 'is invalid')
}

function rejectEmail(draft: Change, message: string): void {
  draft.clear('email')
  draft.reject('email', message)
  draft.reject('type', 'is invalid')
}

/** Refuses changes that would grant more than the caller's own scopes (A12.4(4)). @throws ApiError `scope_exceeded` */
async function checkReach(author: Author, transaction: Transaction, actor: ActorRow, change: Partial<ActorInput>) {
  const changes = (field: keyof ActorInput) => change[field] !== undefined && change[field] !== actor[field]
  const enables = changes('is_disabled') && change.is_disabled === false
  if (changes('type') && change.type === 'account_admin_user') {
    checkAdministration(author, 'Promoting an actor to an administrator')
  }
  if (changesPortalScopes(actor, change)) checkAdministration(author, 'Changing portal_scopes')
  if (hasPortalAccess(actor)) {
    const person = actor.type === 'account_admin_user' ? 'an administrator' : 'a person with portal access'
    if (enables) checkAdministration(author, `Enabling ${person}`)
    if (changes('email')) checkAdministration(author, `Changing the email of ${person}`)
    if (changes('allow_email_otp_sign_in')) {
      checkAdministration(author, `Changing whether ${person} can sign in with passcodes`)
    }
  }
  if (actor.type !== 'api_client' || !enables) return
  const tokens = await rowsBy(apiTokens, transaction.accountId, 'actor_id', actor.id)
  const regainedScopes = tokens.filter((token) => isUnexpired(token, transaction.now)).flatMap(({ scopes }) => scopes)
  if (mayGrantAll(author, regainedScopes)) return
  throw new ApiError(
    'scope_exceeded',
    'Enabling an API client reactivates its tokens, so it requires a token with all of their scopes.',
  )
}
