import { ApiError } from '../../core/errors.ts'
import { accountOfSlug } from '../../sign-in/account-of-slug.ts'
import { type Start, StartFields, startSignIn } from '../../sign-in/browser/start-sign-in.ts'
import { draft } from '../../values/draft.ts'
import type { Answer } from '../exchange.ts'
import { gone, ifOthers } from './error-words.ts'
import { leadTo } from './lead-to.ts'
import { openSignIn } from './open-sign-in.ts'
import type { PageRequest } from './page-handler.ts'
import { type SignInPage, signInPage } from './sign-in-pages.ts'

/** What a person can do about a sign-in that could not begin: try again, or another way. */
const words: Partial<Record<number, (page: SignInPage) => string>> = {
  422: gone,
  503: (page) =>
    `This provider could not be reached. Try again in a minute${ifOthers(page, ', or choose another way')}.`,
}

/** Leads a browser to a provider; where that cannot be, back to the page, which says why. */
export async function leadToProvider({ slug, fields, address }: PageRequest): Promise<Answer> {
  const account = await accountOfSlug(slug)
  const begun = draft<Start>(StartFields, Object.fromEntries(fields))
  return startSignIn(account, begun, address).then(
    ({ data }) => leadTo(data.authorization_url),
    async (error: unknown) => {
      const said = error instanceof ApiError ? words[error.status] : undefined
      if (!(error instanceof ApiError) || said === undefined) throw error
      // Where the request itself is wrong, this tells.
      const page = await openSignIn(slug, fields)
      return signInPage({ ...page, status: error.status, error: said(page) })
    },
  )
}
