import * as v from 'valibot'
import { createSecret } from '../../core/aws/create-secret.ts'
import { env } from '../../core/env.ts'
import { invalid } from '../../core/errors.ts'
import { ShownApiToken } from '../../domain/api-tokens/api-token.ts'
import type { MintedApiToken } from '../../domain/api-tokens/mint-api-token.ts'
import { draft } from '../../values/draft.ts'
import { OneOf } from '../../values/fields.ts'

const { token: _, ...shownWithoutToken } = ShownApiToken.entries
const HiddenApiToken = v.object(shownWithoutToken)

/** Keeps a token before its commit: an account then never exists whose token nobody can read. */
export type KeepToken = (token: MintedApiToken, accountId: string, slug: string) => Promise<void>

/**
 * The place that an event chooses for its new token (A32.6): a secret of Secrets Manager unless the event names the answer.
 * @throws ApiError `validation_failed`
 */
export function tokenPlace(event: Record<string, unknown>) {
  const { token_in = 'secret' } = draft<{ token_in?: string }>(
    v.object({ token_in: v.optional(OneOf(['secret', 'answer'])) }),
    event,
  ).done()
  const { tokenSecrets } = env
  if (token_in === 'secret' && tokenSecrets === null) {
    throw invalid({ token_in: ['must be answer, because the service has no Secrets Manager here'] })
  }
  let arn: string | undefined
  const keep: KeepToken = async ({ id, token }, accountId, slug) => {
    if (token_in === 'answer' || tokenSecrets === null) return
    arn = await createSecret({
      name: `${tokenSecrets.prefix}/${accountId}/${id}`,
      description: `An API token of the account ${slug}. Delete this secret when the token was handed over.`,
      text: token,
      requestId: id,
      key: tokenSecrets.key,
      tags: { 'network-access:account-id': accountId, 'network-access:slug': slug },
    })
  }
  return {
    keep,
    /** The token as the answer shows it: with its text, or with the ARN of the secret that holds it. */
    shown: (token: MintedApiToken) =>
      arn === undefined
        ? { api_token: v.parse(ShownApiToken, token) }
        : { api_token: v.parse(HiddenApiToken, token), token_secret_arn: arn },
  }
}
