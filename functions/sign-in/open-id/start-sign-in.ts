import * as v from 'valibot'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { accountOfSlug } from '#shared/sign-in/account-of-slug.ts'
import { StartFields, startSignIn as start } from '#shared/sign-in/browser/start-sign-in.ts'
import { slug } from '#shared/sign-in/slug.ts'

export const startSignIn = operation(
  {
    method: 'POST',
    path: '/sign_in/{slug}/start',
    summary: 'Start to sign in with a provider',
    credential: 'none',
    step: 'start',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: StartFields },
    response: data(v.object({ authorization_url: v.string(), expires_at: v.string() })),
    status: 201,
    secret: true,
  },
  async ({ params, draft, address }) => start(await accountOfSlug(params.slug), draft(), address),
)

export const handler = lambda(startSignIn)
