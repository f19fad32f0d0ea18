import { useSession } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'

/** Warns that a change ends the own session: it concerns the own actor, credential or sign-in provider (K7.2). */
export function OwnSessionWarning({ row }: { row: Row }) {
  const { actor, credential } = useSession()
  const words = texts.confirm.own
  const text = {
    [actor.id]: words.actor,
    [credential.id]: words.credential,
    [credential.auth_provider_id ?? '']: words.provider,
  }[row.id]
  return text ? <p className="remark warning">{text}</p> : null
}
