import { QueryClientProvider } from '@tanstack/react-query'
import { Component, lazy, type ReactNode, Suspense } from 'react'
import { I18nProvider } from 'react-aria-components'
import { Route, Router, Switch } from 'wouter'
import { queryClient } from '../client/queries.ts'
import { ActionButton } from '../parts/controls.tsx'
import { useGuardedLocation } from '../parts/guard.ts'
import { Empty, Loading } from '../parts/states.tsx'
import { SessionGate } from '../session/session-gate.tsx'
import { AccountPage } from '../session/sign-in-page.tsx'
import { SignedIn } from '../session/signed-in.tsx'
import { texts } from '../texts/texts.ts'
import { Frame } from './frame.tsx'

/** Screens of an account, in a file of their own that the sign-in does not need. */
const Screens = lazy(() => import('../screens/routes.tsx'))

/** Shows a prompt to reload if the code of a screen cannot be loaded. */
class ScreenBoundary extends Component<{ children: ReactNode }, { isFailed: boolean }> {
  override state = { isFailed: false }

  static getDerivedStateFromError() {
    return { isFailed: true }
  }

  override render() {
    if (!this.state.isFailed) return this.props.children
    return (
      <Empty
        title={texts.states.chunk}
        action={<ActionButton onPress={() => location.reload()}>{texts.states.reload}</ActionButton>}
      />
    )
  }
}

export function App() {
  return (
    <I18nProvider locale={texts.locale}>
      <QueryClientProvider client={queryClient}>
        <Router hook={useGuardedLocation}>
          <Switch>
            <Route path="/console">
              <AccountPage reason="start" />
            </Route>
            <Route path="/console/signed_in" component={SignedIn} />
            <Route path="/console/:slug" nest>
              {({ slug }) => (
                <SessionGate slug={slug}>
                  <Frame>
                    <ScreenBoundary>
                      <Suspense fallback={<Loading rows={8} />}>
                        <Screens />
                      </Suspense>
                    </ScreenBoundary>
                  </Frame>
                </SessionGate>
              )}
            </Route>
          </Switch>
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  )
}
