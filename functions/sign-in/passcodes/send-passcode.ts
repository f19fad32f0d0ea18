import { data, operation } from '#shared/http/lambda.ts'
import { findAccountBySlug, slug } from '#shared/sign-in/account-by-slug.ts'
import { Ordered, OrderFields, orderPasscode } from '#shared/sign-in/passcodes/prove-email.ts'

export const handler = operation(
  'POST /sign_in/{slug}/email_otp',
  {
    summary: 'Send a passcode to an email address',
    credential: 'none',
    step: 'start',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: OrderFields },
    response: data(Ordered),
    status: 202,
  },
  async ({ params, input }) => orderPasscode(await findAccountBySlug(params.slug), input()),
)
