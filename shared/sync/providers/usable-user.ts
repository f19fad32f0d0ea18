import { checkEmail } from '../../values/email.ts'
import type { DirectoryUser } from '../directory-adapter.ts'
import type { Skipped } from '../page.ts'

/** What a provider tells of a person. */
export type Told = Omit<DirectoryUser, 'email' | 'active' | 'name'> & {
  name: string | null
  email: string | null
  active: boolean
}

/** An entry of a list: one to be used, or one to be skipped. */
export type Entry<T> = { entry: T } | { skipped: Skipped }

/**
 * A person that can be synchronised. Who is active needs an email address (A12.2); who is not is named with or without one,
 * because that is what takes access away.
 */
export function usableUser({ email: address, active, ...told }: Told): Entry<DirectoryUser> {
  const checked = address === null ? null : checkEmail(address.trim())
  const email = checked && 'email' in checked ? checked.email : null
  const profile = { ...told, name: told.name ?? address ?? told.idp_id }
  if (!active) return { entry: { ...profile, active, email } }
  if (email !== null) return { entry: { ...profile, active, email } }
  return { skipped: { idp_id: told.idp_id, name: told.name, reason: checked ? 'invalid_email' : 'no_email' } }
}
