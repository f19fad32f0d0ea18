import { useSession } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'

/** Warns that a change ends the person's own session: it concerns the own actor, credential or sign-in provider (K7.2). */
export function SessionWarning({ row }: { row: Row }) {
  const { actor, credential } = useSession()
  const provider = (credential as { auth_provider_id?: string | null }).auth_provider_id
  const isOwn = [actor.id, credential.id, provider].includes(row.id)
  return isOwn ? <p className="remark warning">{texts.confirm.endsSession}</p> : null
}
