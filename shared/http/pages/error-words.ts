import { administrator } from './page.ts'
import type { SignInPage } from './sign-in-pages.ts'

type Ways = Pick<SignInPage, 'request' | 'providers'>

/** Words that are added only when there is another way to sign in. */
export const ifOthers = ({ providers }: Pick<SignInPage, 'providers'>, words: string): string =>
  providers.length > 1 ? words : ''

/** Message for a way that was disabled after the page was opened. The page itself says when no way is left. */
export const gone = ({ providers }: Pick<SignInPage, 'providers'>): string =>
  `This way to sign in is no longer available.${providers.length > 0 ? ' Choose another one.' : ''}`

/** Message for a refusal. That the portal is for administrators is true for everybody, so it reveals no reason. */
const refused = (page: Ways): string =>
  page.request.context === 'portal'
    ? `You were not signed in. Only administrators sign in here. If you are one, choose another account${ifOthers(page, ' or another way')}. If not, ask ${administrator}.`
    : `You were not signed in: you stopped, or this account has no access here. Choose another account${ifOthers(page, ' or another way')}, or ask ${administrator}.`

const silent = (page: Ways): string =>
  `You were not signed in: the sign-in provider is not responding properly. Try again in a minute${ifOthers(page, ', or choose another way')}.`

const broken = (page: Ways): string =>
  `You were not signed in: this way to sign in is set up incorrectly, and trying again does not help. ${ifOthers(page, 'Choose another way, and tell') || 'Tell'} ${administrator}.`

/** Messages for the errors that a callback redirects with (I2.2). */
const wordsOf = new Map([
  ['access_denied', refused],
  ['temporarily_unavailable', silent],
  ['server_error', broken],
])

/** Message for the error of an earlier sign-in; undefined for an error that no callback has. */
export const errorWords = (error: string | null, page: Ways): string | undefined => wordsOf.get(error ?? '')?.(page)
