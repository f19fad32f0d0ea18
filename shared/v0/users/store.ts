import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, invalid } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { commitWithPassword, Unhashed } from './commit-with-password.ts'
import { stageUserDeletion } from './delete-user.ts'
import { find, v0UserEmails } from './read-users.ts'
import { adminCounter, type V0UserInput, type V0UserRow, v0Users } from './user.ts'
import { checkNewUser, checkUserChange } from './user-rules.ts'

async function checkEmailFree(transaction: Transaction, email: string, except?: V0UserRow): Promise<void> {
  if (await transaction.isTaken(v0UserEmails, foldAscii(email), except))
    throw invalid({ email: ['has already been taken'] })
}

export const create = (author: Author, draft: () => Draft<V0UserInput>) =>
  commitWithPassword(author, async (transaction, hashed) => {
    const { email, role, password } = checkNewUser(draft())
    await checkEmailFree(transaction, email)
    const password_hash = hashed(password)
    if (password_hash instanceof Unhashed) return password_hash
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
  commitWithPassword(author, async (transaction, hashed) => {
    const user = await find(author.accountId, idOrEmail)
    const { email, role, password } = checkUserChange(draft(), user, author.subject?.actor_email ?? null)
    if (role === 'unprivileged' && isLastAdmin(transaction, user))
      throw invalid({ role: ['cannot demote the last admin user'] })
    if (email !== undefined) await checkEmailFree(transaction, email, user)
    const password_hash = hashed(password)
    if (password_hash instanceof Unhashed) return password_hash
    return { data: transaction.update(v0Users, user, { email, role, password_hash }) }
  })

const isLastAdmin = (transaction: Transaction, user: V0UserRow): boolean =>
  user.role === 'admin' && transaction.count(adminCounter) <= 1

/** @throws ApiError 422 for the last admin (9.6) */
export const remove = (author: Author, idOrEmail: string) =>
  commit(author, async (transaction) => {
    const user = await find(author.accountId, idOrEmail)
    if (isLastAdmin(transaction, user)) {
      throw new ApiError('validation_failed', undefined, { members: { error: "Can't delete the last admin user." } })
    }
    await stageUserDeletion(transaction, user)
  })
