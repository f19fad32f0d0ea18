import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { RedeemFields, redeemCode as redeem } from '#shared/sign-in/browser/redeem-code.ts'
import { Issued } from '#shared/sign-in/sessions/issued.ts'

export const redeemCode = operation(
  {
    method: 'POST',
    path: '/sign_in/token',
    summary: 'Get a client token or portal session for the code of a sign-in',
    credential: 'none',
    step: 'token',
    body: { envelope: 'sign_in', fields: RedeemFields },
    refusals: ['unauthorized'],
    response: data(Issued),
    status: 201,
    secret: true,
  },
  ({ draft, origin }) => redeem(draft(), origin),
)

export const handler = lambda(redeemCode)
