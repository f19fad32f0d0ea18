import { invalid } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { hasUnseen } from '../../values/email.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { blank, isBlank, type Messages, tooLong } from '../values/messages.ts'
import { passwordMessages } from './password.ts'
import type { V0UserInput, V0UserRow } from './user.ts'

/** The checked fields of a request. The password is not hashed yet. */
export type V0UserChange = { email?: string; role?: V0UserRow['role']; password?: string }

function emailMessages(email: string | null): Messages {
  if (email === null || isBlank(email)) return [blank]
  return [...(email.includes('@') && !hasUnseen(email) ? [] : ['is invalid email address']), ...tooLong(email, 255)]
}

function checkPassword(draft: Draft<V0UserInput>): string | undefined {
  const { password, password_confirmation } = draft.fields
  if (password === undefined || password === null || password === '') return undefined
  draft.reject('password', ...passwordMessages(password, password_confirmation))
  return typeof password === 'string' ? password : undefined
}

/** The field checks of a new user (`/v0` contract, 9.3). @throws ApiError `validation_failed` */
export function checkNewUser(draft: Draft<V0UserInput>): Required<Pick<V0UserChange, 'email' | 'role'>> & V0UserChange {
  const { email = null, role } = draft.fields
  if (!draft.has('email')) draft.reject('email', ...emailMessages(email))
  const password = checkPassword(draft)
  if (email === null) throw invalid(draft.errors)
  draft.done()
  return { email, role: role ?? 'unprivileged', password }
}

/**
 * The field checks of a changed user. Nobody changes the role of the user with their own email.
 * @throws ApiError `validation_failed`
 */
export function checkUserChange(draft: Draft<V0UserInput>, user: V0UserRow, ownEmail: string | null): V0UserChange {
  const { email, role } = draft.fields
  if (email !== undefined && email !== user.email) draft.reject('email', ...emailMessages(email))
  if (role === null) draft.reject('role', blank)
  else if (role !== undefined && role !== user.role && foldAscii(ownEmail ?? '') === foldAscii(user.email))
    draft.reject('role', 'You cannot change your own role')
  const password = checkPassword(draft)
  draft.done()
  return { email: email ?? undefined, role: role ?? undefined, password }
}
