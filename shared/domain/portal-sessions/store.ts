import { type Author, commit } from '../../commit/commit.ts'
import { unauthorized } from '../../core/errors.ts'
import { portalSessions } from './portal-session.ts'

/** Ends a session, whose token is refused from then on (I2.6). @throws ApiError `unauthorized` when it has ended meanwhile */
export const end = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const session = await transaction.get(portalSessions, id)
    if (!session) throw unauthorized()
    transaction.delete(portalSessions, session)
    return { data: { id } }
  })
