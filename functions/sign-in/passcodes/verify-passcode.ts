import { data, operation } from '#shared/http/lambda.ts'
import { findAccountBySlug, slug } from '#shared/sign-in/account-by-slug.ts'
import { VerifyFields, verifyPasscode as verify } from '#shared/sign-in/passcodes/prove-email.ts'
import { Issued } from '#shared/sign-in/sessions/issue-session.ts'

export const handler = operation(
  'POST /sign_in/{slug}/email_otp/verify',
  {
    summary: 'Sign in with a mailed passcode',
    credential: 'none',
    step: 'passcode',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: VerifyFields },
    refusals: ['unauthorized'],
    response: data(Issued),
    secret: true,
  },
  async ({ params, input, origin }) => verify(await findAccountBySlug(params.slug), input(), origin),
)
