import { ApiError } from '../../core/errors.ts'
import { accountOfSlug } from '../../sign-in/account-of-slug.ts'
import { type Start, StartFields, startSignIn } from '../../sign-in/browser/start-sign-in.ts'
import { draft } from '../../values/draft.ts'
import type { Answer } from '../exchange.ts'
import { leadTo } from './lead-to.ts'
import { openSignIn } from './open-sign-in.ts'
import type { PageRequest } from './page-handler.ts'
import { signInPage } from './sign-in-pages.ts'

/** What a person can do about a sign-in that could not begin: try again, or another way. */
const words: Partial<Record<number, string>> = {
  422: 'This way to sign in is not there any more. Choose another one.',
  503: 'This provider could not be reached. Try again in a minute, or choose another way.',
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
      return signInPage({ ...(await openSignIn(slug, fields)), status: error.status, error: said })
    },
  )
}
