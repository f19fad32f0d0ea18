import type { SignInPage } from './sign-in-pages.ts'

type Ways = Pick<SignInPage, 'request' | 'providers'>

const administrators = 'whoever administers the network access of your company'

/** Words that are added only where there is another way to sign in. */
export const ifOthers = ({ providers }: Pick<SignInPage, 'providers'>, words: string): string =>
  providers.length > 1 ? words : ''

/** A way that was disabled after the page was opened; the page says by itself where no way is left. */
export const gone = ({ providers }: Pick<SignInPage, 'providers'>): string =>
  `This way to sign in is not there any more.${providers.length > 0 ? ' Choose another one.' : ''}`

/** The portal is for administrators, which is true for everybody and gives no reason away. */
const refused = (page: Ways): string =>
  page.request.context === 'portal'
    ? `You were not signed in. Only administrators sign in here. If you are one, choose another account${ifOthers(page, ' or another way')}. If not, ask ${administrators}.`
    : `You were not signed in: you stopped, or this account has no access here. Choose another account${ifOthers(page, ' or another way')}, or ask ${administrators}.`

const silent = (page: Ways): string =>
  `You were not signed in: the provider does not answer as it should. Try again in a minute${ifOthers(page, ', or choose another way')}.`

const broken = (page: Ways): string =>
  `You were not signed in: this way to sign in is set up wrongly, and trying again does not help. ${ifOthers(page, 'Choose another way, and tell') || 'Tell'} ${administrators}.`

/** Errors that a callback leads back with (I2.2), each in plain words. */
const wordsOf = new Map([
  ['access_denied', refused],
  ['temporarily_unavailable', silent],
  ['server_error', broken],
])

/** What an earlier sign-in came back with, for a person; undefined for an error that no callback has. */
export const errorWords = (error: string | null, page: Ways): string | undefined => wordsOf.get(error ?? '')?.(page)
