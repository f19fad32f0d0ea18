import * as v from 'valibot'
import { data, operation } from '#shared/http/lambda.ts'
import { findAccountBySlug, slug } from '#shared/sign-in/account-by-slug.ts'
import { StartFields, startSignIn as start } from '#shared/sign-in/browser/start-sign-in.ts'

export const handler = operation(
  'POST /sign_in/{slug}/start',
  {
    summary: 'Start a sign-in with a provider',
    credential: 'none',
    step: 'start',
    identifiers: { slug },
    body: { envelope: 'sign_in', fields: StartFields },
    response: data(v.object({ authorization_url: v.string(), expires_at: v.string() })),
    secret: true,
  },
  async ({ params, draft, address }) => start(await findAccountBySlug(params.slug), draft(), address),
)
