import { useEffect, useState } from 'react'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { useStore } from '../parts/store.ts'
import { texts } from '../texts/texts.ts'
import { type IdleState, idleState, input } from './idle.ts'
import {
  activate,
  endRenewal,
  endSession,
  openRenewalTab,
  post,
  readSession,
  renewal,
  type Session,
  tabs,
  useSession,
} from './session.ts'
import { TokenForm } from './sign-in-page.tsx'

const inputEvents = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Minimum milliseconds between two messages to the other tabs about input. */
const messageInterval = 10_000

/** Ends the session after 30 minutes without input in any tab, and warns a minute earlier (K3.6). */
export function IdleWatch() {
  const [idle, setIdle] = useState<IdleState>('active')
  useEffect(() => {
    input.last = Date.now()
    let lastMessage = 0
    const noteInput = () => {
      input.last = Date.now()
      if (input.last - lastMessage < messageInterval) return
      lastMessage = input.last
      post({ type: 'input' })
    }
    const receive = ({ data }: MessageEvent<{ type: string }>) => {
      if (data.type === 'input') input.last = Date.now()
    }
    const timer = setInterval(() => {
      const next = idleState(Date.now(), input.last)
      setIdle(next)
      if (next === 'ended') void endSession('idle')
    }, 1000)
    for (const event of inputEvents) addEventListener(event, noteInput, { passive: true })
    tabs.addEventListener('message', receive)
    return () => {
      clearInterval(timer)
      for (const event of inputEvents) removeEventListener(event, noteInput)
      tabs.removeEventListener('message', receive)
    }
  }, [])
  if (idle !== 'warning') return null
  return (
    <ModalDialog title={texts.signIn.idleTitle} onClose={() => setIdle('active')} isAlert>
      <p>{texts.signIn.idleWarning}</p>
      <div className="dialog-actions">
        <ActionButton onPress={() => void endSession('ended')}>{texts.actions.signOut}</ActionButton>
        <ActionButton tone="primary" onPress={() => setIdle('active')}>
          {texts.signIn.stay}
        </ActionButton>
      </div>
    </ModalDialog>
  )
}

/** Dialog of a session that ended during work. The page and its forms stay (K3.7). */
export function RenewalDialog() {
  const pending = useStore(renewal)
  const session = useSession()
  const [isWaiting, setWaiting] = useState(false)
  const [other, setOther] = useState<Session>()
  useEffect(() => {
    if (!pending) return
    const receive = async ({ data }: MessageEvent<{ type: string; slug?: string }>) => {
      if (data.type === 'signed_in' && data.slug === session.account.slug) accept(await readSession())
    }
    const accept = (next: Session) => {
      setWaiting(false)
      if (next.actor.id === session.actor.id) endRenewal(true)
      else setOther(next)
    }
    const listener = (event: MessageEvent) => void receive(event)
    tabs.addEventListener('message', listener)
    return () => tabs.removeEventListener('message', listener)
  }, [pending, session])
  if (!pending) return null
  const isToken = session.credential.kind === 'api_token'
  const finish = (next: Session) => {
    activate(next)
    setOther(undefined)
    endRenewal(true)
  }
  return (
    <ModalDialog title={texts.signIn.renewTitle} onClose={() => endRenewal(false)} isAlert>
      <p>{other ? texts.signIn.otherActor(other.actor.name) : texts.signIn.renew}</p>
      {isToken && <TokenForm slug={session.account.slug} onSession={finish} />}
      <div className="dialog-actions">
        <ActionButton onPress={() => endRenewal(false)}>{texts.actions.cancel}</ActionButton>
        {other && (
          <ActionButton tone="primary" onPress={() => finish(other)}>
            {texts.signIn.go}
          </ActionButton>
        )}
        {!isToken && !other && (
          <ActionButton
            tone="primary"
            isDisabled={isWaiting}
            onPress={() => {
              setWaiting(true)
              openRenewalTab(session.account.slug)
            }}
          >
            {isWaiting ? texts.signIn.waiting : texts.signIn.renewTab}
          </ActionButton>
        )}
      </div>
    </ModalDialog>
  )
}
