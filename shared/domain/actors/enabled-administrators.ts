import { rowsBy } from '../../table/read.ts'
import { type ActorRow, actors } from './actor.ts'

/** The enabled administrators of an account that mails reach (I8). */
export async function enabledAdministrators(accountId: string): Promise<(ActorRow & { email: string })[]> {
  const administrators = await rowsBy(actors, accountId, 'type', 'account_admin_user')
  return administrators.filter(
    (actor): actor is ActorRow & { email: string } => actor.email !== null && !actor.is_disabled,
  )
}
