import { isLonger } from '../../values/is-longer.ts'
import { isText } from '../values/casts.ts'
import { type Messages, tooLong } from '../values/messages.ts'

/** The rules of a password and its confirmation (`/v0` contract, 9.4). */
export function passwordMessages(password: unknown, confirmation: unknown): Messages {
  if (!isText(password)) return ['is invalid']
  return [
    ...(isLonger(password, 11) ? [] : ['should be at least 12 character(s)']),
    ...tooLong(password, 128),
    ...(confirmation === password ? [] : ['does not match password confirmation.']),
  ]
}
