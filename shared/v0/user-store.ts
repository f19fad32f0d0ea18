import { type Author, commit } from '../commit/commit.ts'
import type { Transaction } from '../commit/transaction.ts'
import { ApiError, invalid, invalidAt } from '../core/errors.ts'
import { hashPassword } from '../core/secrets/password-hash.ts'
import { retryUntil, workTime } from '../core/work/work.ts'
import type { Draft } from '../values/draft.ts'
import { hasInvisibleCharacters } from '../values/email.ts'
import { foldAscii, isLonger } from '../values/text.ts'
import { isText } from './casts.ts'
import { stageUserDeletion } from './delete-user.ts'
import { blank, isBlank, type Messages, tooLong } from './messages.ts'
import { find, v0UserEmails } from './read-users.ts'
import { adminCounter, type V0UserInput, type V0UserRow, v0Users } from './user.ts'

async function checkEmailFree(transaction: Transaction, email: string, except?: V0UserRow): Promise<void> {
  if (await transaction.isTaken(v0UserEmails, foldAscii(email), except))
    throw invalidAt(['email'], 'has already been taken')
}

export const create = (author: Author, draft: () => Draft<V0UserInput>) =>
  commitWithPassword(author, async (transaction, hashOrRequest) => {
    const { email, role, password } = checkNewUser(draft())
    await checkEmailFree(transaction, email)
    const password_hash = hashOrRequest(password)
    if (typeof password_hash === 'object') return password_hash
    const user = transaction.insert(v0Users, {
      email,
      role,
      password_hash: password_hash ?? null,
      last_signed_in_at: null,
      last_signed_in_method: null,
      disabled_at: null,
    })
    return { data: user }
  })

export const update = (author: Author, idOrEmail: string, draft: () => Draft<V0UserInput>) =>
  commitWithPassword(author, async (transaction, hashOf) => {
    const user = await find(author.accountId, idOrEmail)
    const { email, role, password } = checkUserChange(draft(), user, author.subject?.actor_email ?? null)
    if (role === 'unprivileged' && isLastAdmin(transaction, user))
      throw invalidAt(['role'], 'cannot demote the last admin user')
    if (email !== undefined) await checkEmailFree(transaction, email, user)
    const password_hash = hashOf(password)
    if (typeof password_hash === 'object') return password_hash
    return { data: transaction.update(v0Users, user, { email, role, password_hash }) }
  })

const isLastAdmin = (transaction: Transaction, user: V0UserRow): boolean =>
  user.role === 'admin' && transaction.count(adminCounter) <= 1

/** Deletes a user (`/v0` contract, 9.6). @throws ApiError 422 for the last admin */
export const remove = (author: Author, idOrEmail: string) =>
  commit(author, async (transaction) => {
    const user = await find(author.accountId, idOrEmail)
    if (isLastAdmin(transaction, user)) {
      throw new ApiError('validation_failed', undefined, { members: { error: "Can't delete the last admin user." } })
    }
    await stageUserDeletion(transaction, user)
  })

/** Result of a change that passed its checks but needs the hash of a password before it can stage any writes. */
type PendingHash = { unhashedPassword: string }

type PasswordHasher = (password: string | undefined) => string | PendingHash | undefined

/**
 * Commits a change that may set a password. Hashes the password once, after all other checks and between two commits. A lost race therefore
 * does not repeat the hashing, and the account's other commits need not wait for it.
 * @throws ApiError `unavailable` if the commit does not succeed in time; nothing is changed
 */
async function commitWithPassword<T extends object>(
  author: Author,
  change: (transaction: Transaction, hashOf: PasswordHasher) => Promise<T | PendingHash>,
): Promise<T> {
  const deadline = retryUntil(workTime.retries())
  let hash: string | undefined
  const hashOf: PasswordHasher = (password) =>
    password === undefined ? undefined : (hash ?? { unhashedPassword: password })
  for (;;) {
    const result = await commit(author, (transaction) => change(transaction, hashOf), deadline)
    if (!('unhashedPassword' in result)) return result
    hash = await hashPassword(result.unhashedPassword, deadline)
  }
}

function emailMessages(email: string | null): Messages {
  if (email === null || isBlank(email)) return [blank]
  return [
    ...(email.includes('@') && !hasInvisibleCharacters(email) ? [] : ['is invalid email address']),
    ...tooLong(email, 255),
  ]
}

/** Checks a password and its confirmation (`/v0` contract, 9.4). */
function checkPassword(draft: Draft<V0UserInput>): string | undefined {
  const { password, password_confirmation } = draft.fields
  if (password === undefined || password === null || password === '') return undefined
  if (!isText(password)) {
    draft.reject('password', 'is invalid')
    return undefined
  }
  draft.reject(
    'password',
    ...(isLonger(password, 11) ? [] : ['should be at least 12 character(s)']),
    ...tooLong(password, 128),
    ...(password_confirmation === password ? [] : ['does not match password confirmation.']),
  )
  return password
}

function checkNewUser(draft: Draft<V0UserInput>) {
  const { email = null, role } = draft.fields
  if (!draft.has('email')) draft.reject('email', ...emailMessages(email))
  const password = checkPassword(draft)
  if (email === null) throw invalid(draft.faults)
  draft.done()
  return { email, role: role ?? ('unprivileged' as const), password }
}

/** Checks a changed user. Callers cannot change the role of the user whose email is their own. @throws ApiError `validation_failed` */
function checkUserChange(draft: Draft<V0UserInput>, user: V0UserRow, ownEmail: string | null) {
  const { email, role } = draft.fields
  if (email !== undefined && email !== user.email) draft.reject('email', ...emailMessages(email))
  if (role === null) draft.reject('role', blank)
  else if (role !== undefined && role !== user.role && foldAscii(ownEmail ?? '') === foldAscii(user.email))
    draft.reject('role', 'You cannot change your own role')
  const password = checkPassword(draft)
  draft.done()
  return { email: email ?? undefined, role: role ?? undefined, password }
}
