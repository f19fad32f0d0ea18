import { useEffect, useState } from 'react'
import { Loading } from '../parts/states.tsx'
import { texts } from '../texts/texts.ts'
import { finishSignIn, type SignInReason } from './session.ts'
import { AccountPage, SignInPage } from './sign-in-page.tsx'

/** Parameters of the redirect, which this module reads before React can run an effect twice. */
const parameters = new URLSearchParams(location.search)
let finished: ReturnType<typeof finishSignIn> | undefined

/** Page to which a sign-in redirects. It redeems the code and returns to the address where the sign-in started. */
export function SignedIn() {
  const [failure, setFailure] = useState<{ reason: SignInReason; slug: string }>()
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    // Removes the code from the address and the history.
    history.replaceState(null, '', location.pathname)
    finished ??= finishSignIn(parameters)
    void finished.then((result) => {
      if ('reason' in result) return setFailure(result)
      if (result.tab === 'same') return location.replace(result.returnTo)
      setDone(true)
      window.close()
    })
  }, [])
  if (failure) return failure.slug ? <SignInPage {...failure} /> : <AccountPage reason={failure.reason} />
  return isDone ? <p className="sign-in">{texts.signIn.closeTab}</p> : <Loading rows={3} />
}
