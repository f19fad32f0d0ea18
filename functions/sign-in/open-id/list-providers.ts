import { ApiError } from '#shared/core/errors.ts'
import { operation } from '#shared/http/lambda.ts'
import { findAccountBySlug, slug } from '#shared/sign-in/account-by-slug.ts'
import { listSignInProviders, SignInProviders } from '#shared/sign-in/list-providers.ts'
import { signInContexts } from '#shared/sign-in/sign-in-context.ts'

export const handler = operation(
  'GET /sign_in/{slug}/providers',
  {
    summary: 'List the sign-in providers of an account',
    credential: 'none',
    identifiers: { slug },
    parameters: {
      context: { type: 'string', enum: signInContexts, description: 'Target of the sign-in: `client` or `portal`.' },
    },
    refusals: ['invalid_filter'],
    response: SignInProviders,
  },
  async ({ params, query }) => {
    const account = await findAccountBySlug(params.slug)
    const context = signInContexts.find((candidate) => candidate === query.get('context'))
    if (!context) throw new ApiError('invalid_filter', 'context must be client or portal.')
    return { data: await listSignInProviders(account.id, context) }
  },
)
