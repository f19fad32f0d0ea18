import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { accountOfSlug } from '#shared/sign-in/account-of-slug.ts'
import { Ordered, OrderFields, orderPasscode } from '#shared/sign-in/passcodes/order-passcode.ts'
import { slug } from '#shared/sign-in/slug.ts'

export const sendPasscode = operation(
  {
    method: 'POST',
    path: '/sign_in/{slug}/email_otp',
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
export const handler = lambda(sendPasscode)
