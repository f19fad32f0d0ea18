import * as v from 'valibot'
import { ApiError } from '../../core/errors.ts'
import { codeForPasscode } from '../../sign-in/browser/code-for-passcode.ts'
import { orderPasscode } from '../../sign-in/passcodes/order-passcode.ts'
import { SignInEmail } from '../../sign-in/passcodes/sign-in-email.ts'
import { withParameters } from '../../sign-in/providers/redirect-uri.ts'
import type { Answer } from '../exchange.ts'
import { gone } from './error-words.ts'
import { leadTo } from './lead-to.ts'
import { openSignIn } from './open-sign-in.ts'
import type { PageRequest } from './page-handler.ts'
import { passcodePage, signInPage } from './sign-in-pages.ts'

const noEmail = 'Enter an email address like name@example.com.'
const wrong =
  'This passcode does not work: it is wrong, was used, or is too old. After three tries only a new one helps.'

/** Takes the email of somebody, and then the passcode that was mailed to it, which leads them back with a code. */
export async function takeEmail({ slug, fields }: PageRequest): Promise<Answer> {
  const page = await openSignIn(slug, new URLSearchParams(fields.get('request') ?? ''))
  const { account, request } = page
  if (!page.providers.some(({ kind }) => kind === 'email_otp'))
    return signInPage({ ...page, status: 422, error: gone(page) })
  const entered = fields.get('email') ?? ''
  const checked = v.safeParse(SignInEmail, entered)
  if (!checked.success) return signInPage({ ...page, status: 422, email: entered, error: noEmail })
  const email = checked.output
  const passcode = fields.get('passcode')
  if (passcode === null) {
    await orderPasscode(account, { email, context: request.context })
    return passcodePage({ ...page, email })
  }
  const { redirect_uri, state, ...rest } = request
  return codeForPasscode(account.id, { email, passcode, ...rest }).then(
    (code) => leadTo(withParameters(redirect_uri, { state, code })),
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error
      return passcodePage({ ...page, email, status: 422, error: wrong })
    },
  )
}
