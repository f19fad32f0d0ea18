import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { Loading } from '../parts/states.tsx'
import { useStore } from '../parts/store.ts'
import { endSession, type Message, openSession, SessionContext, sessionState, tabs } from './session.ts'
import { SignInPage } from './sign-in-page.tsx'

let isOpening = false

/** Shows its children with a session, and otherwise the ways to sign in. */
export function SessionGate({ slug, children }: { slug: string; children: ReactNode }) {
  const current = useStore(sessionState)
  const [, navigate] = useLocation()
  useEffect(() => {
    // Opens the session only once, also if React runs the effect twice, because a one-time code must not be sent twice.
    if (current.status !== 'loading' || isOpening) return
    isOpening = true
    void openSession(slug).then(sessionState.set)
  }, [slug, current.status])
  useEffect(() => {
    const receive = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'ended') void endSession(data.reason, true)
    }
    tabs.addEventListener('message', receive)
    return () => tabs.removeEventListener('message', receive)
  }, [])
  if (current.status === 'loading') return <Loading rows={3} />
  if (current.status === 'none') return <SignInPage slug={slug} reason={current.reason} />
  if (current.session.account.slug !== slug) {
    navigate(`~/console/${current.session.account.slug}`, { replace: true })
    return null
  }
  return <SessionContext value={current.session}>{children}</SessionContext>
}
