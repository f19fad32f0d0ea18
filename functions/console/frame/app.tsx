import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { I18nProvider } from 'react-aria-components'
import { Route, Router, Switch } from 'wouter'
import { queryClient } from '../client/queries.ts'
import { ChunkBoundary } from '../parts/chunk-boundary.tsx'
import { useGuardedLocation } from '../parts/guard.ts'
import { Loading } from '../parts/states.tsx'
import { SessionGate } from '../session/session-gate.tsx'
import { AccountPage } from '../session/sign-in-page.tsx'
import { SignedIn } from '../session/signed-in.tsx'
import { texts } from '../texts/texts.ts'
import { Frame } from './frame.tsx'

/** Screens of an account, in a file of their own that the sign-in does not need. */
const Screens = lazy(() => import('../screens/routes.tsx'))

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
                    <ChunkBoundary>
                      <Suspense fallback={<Loading rows={8} />}>
                        <Screens />
                      </Suspense>
                    </ChunkBoundary>
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
