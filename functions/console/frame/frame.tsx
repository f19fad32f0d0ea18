import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ActionButton } from '../parts/controls.tsx'
import { Icon } from '../parts/icons.tsx'
import { NoticeRegion } from '../parts/notice.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { endSession, hasScope, useSession } from '../session/session.ts'
import { IdleWatch, RenewalDialog } from '../session/session-dialogs.tsx'
import { texts } from '../texts/texts.ts'
import { KeyboardShortcuts, palette } from './keyboard.tsx'
import { navigation } from './navigation.ts'
import { usePulse } from './pulse.ts'

function Navigation() {
  const session = useSession()
  const [location] = useLocation()
  const isCurrent = (path: string) => location === path || (path !== '/' && location.startsWith(`${path}/`))
  return (
    <nav className="navigation" aria-label={texts.actions.menu}>
      {navigation.map(({ label, entries }) => {
        const allowed = entries.filter(({ scope }) => !scope || hasScope(session, scope, 'read'))
        if (allowed.length === 0) return null
        return (
          <div key={label ?? ''} className="navigation-section">
            {label && <h2>{label}</h2>}
            <ul>
              {allowed.map(({ path, label: name, icon }) => (
                <li key={path}>
                  <Link href={path} aria-current={isCurrent(path) ? 'page' : undefined}>
                    <Icon name={icon} />
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

/** Frame around every screen: account, navigation, person, content, and the dialogs of the session. */
export function Frame({ children }: { children: ReactNode }) {
  const { account, actor } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [location] = useLocation()
  usePulse()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu
  useEffect(() => setOpen(false), [location])
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {texts.actions.skip}
      </a>
      <header className="side">
        <div className="brand">
          <Link href="/" className="account">
            <span className="mark" aria-hidden="true">
              <Icon name="policies" />
            </span>
            <span className="account-name">
              <ShownText text={account.name} />
              <span className="minor">{texts.product}</span>
            </span>
          </Link>
          <button
            type="button"
            className="button quiet menu-button"
            aria-expanded={isOpen}
            aria-label={texts.actions.menu}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
        <div className={isOpen ? 'side-content open' : 'side-content'}>
          <button type="button" className="button plain palette-button" onClick={() => palette.set(true)}>
            <Icon name="find" />
            {texts.palette.open}
            <kbd>{texts.palette.key}</kbd>
          </button>
          <Navigation />
          <div className="person">
            <span className="person-name">
              <ShownText text={actor.name} />
              {actor.email && (
                <span className="minor">
                  <ShownText text={actor.email} />
                </span>
              )}
            </span>
            <ActionButton tone="quiet" onPress={() => void endSession('ended')}>
              {texts.actions.signOut}
            </ActionButton>
          </div>
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
      <NoticeRegion />
      <IdleWatch />
      <RenewalDialog />
      <KeyboardShortcuts />
    </div>
  )
}
