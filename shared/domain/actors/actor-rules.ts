import type { Draft } from '../../values/draft.ts'
import { type ActorInput, type ActorRow, isPerson } from './actor.ts'

/** The rules between type and email on create (A12.2). @throws ApiError `validation_failed` */
export function checkCreate(draft: Draft<ActorInput>): ActorInput {
  const { type, email } = draft.fields
  const hasEmail = email !== undefined && email !== null
  if (type !== undefined && isPerson(type) && !hasEmail && !draft.has('email')) {
    draft.reject('email', "can't be blank")
    draft.reject('type', 'is invalid')
  }
  if (type !== undefined && !isPerson(type) && (hasEmail || draft.has('email'))) {
    draft.errors.email = ['must be blank']
    draft.reject('type', 'is invalid')
  }
  return draft.done()
}

/** The rules of A12.3, and of the email of the actor as it is. */
export function checkTypeChange(draft: Draft<Partial<ActorInput>>, actor: ActorRow): void {
  const { type, email } = draft.fields
  if (type !== undefined && type !== actor.type && isPerson(actor.type) !== isPerson(type)) {
    draft.reject(
      'type',
      isPerson(actor.type)
        ? 'users and admins cannot become service accounts or API clients'
        : 'service accounts and API clients cannot change their type',
    )
  } else if (type !== undefined && type !== actor.type && !isPerson(actor.type)) {
    draft.reject('type', 'service accounts and API clients cannot change their type')
  }
  if (email === null && isPerson(actor.type)) {
    draft.reject('email', "can't be blank")
    draft.reject('type', 'is invalid')
  }
  if (email !== undefined && email !== null && !isPerson(actor.type)) {
    draft.errors.email = ['must be blank']
    draft.reject('type', 'is invalid')
  }
}
