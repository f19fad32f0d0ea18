import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { accountOfSlug } from '#shared/sign-in/account-of-slug.ts'
import { VerifyFields, verifyPasscode as verify } from '#shared/sign-in/passcodes/verify-passcode.ts'
import { Issued } from '#shared/sign-in/sessions/issued.ts'
import { slug } from '#shared/sign-in/slug.ts'

export const verifyPasscode = operation(
  {
    method: 'POST',
    path: '/sign_in/{slug}/email_otp/verify',
    summary: 'Sign in with a mailed passcode',
    credential: 'none',
    step: 'passcode',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: VerifyFields },
    refusals: ['unauthorized'],
    response: data(Issued),
    status: 201,
    secret: true,
  },
  async ({ params, input, origin }) => verify(await accountOfSlug(params.slug), input(), origin),
)
export const handler = lambda(verifyPasscode)
