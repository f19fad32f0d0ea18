import { data, operation } from '#shared/http/lambda.ts'
import { accountOfSlug, slug } from '#shared/sign-in/account-of-slug.ts'
import { Ordered, OrderFields, orderPasscode } from '#shared/sign-in/passcodes/prove-email.ts'

export const handler = operation(
  'POST /sign_in/{slug}/email_otp',
  {
    summary: 'Mail a passcode to whom an email address belongs',
    credential: 'none',
    step: 'start',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: OrderFields },
    response: data(Ordered),
    status: 202,
  },
  async ({ params, input }) => orderPasscode(await accountOfSlug(params.slug), input()),
)
