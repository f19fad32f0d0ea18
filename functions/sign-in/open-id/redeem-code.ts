import { data, operation } from '#shared/http/lambda.ts'
import { RedeemFields, redeemCode as redeem } from '#shared/sign-in/browser/redeem-code.ts'
import { Issued } from '#shared/sign-in/sessions/issue-session.ts'

export const handler = operation(
  'POST /sign_in/token',
  {
    summary: 'Exchange the code of a sign-in for a client token or portal session',
    credential: 'none',
    step: 'token',
    body: { envelope: 'sign_in', fields: RedeemFields },
    refusals: ['unauthorized'],
    response: data(Issued),
    secret: true,
  },
  ({ draft, origin }) => redeem(draft(), origin),
)
