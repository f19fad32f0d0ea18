import { serviceAddress } from '#shared/core/service-address.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { answerPublicly } from '#shared/http/static-file.ts'
import { verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { verifierKey } from '#shared/seal/notes/signing-key.ts'

/** Serves `GET /seal.pub`, the public key that verifies checkpoints (S4). */
export const handler: Handler = (event, context) =>
  answerPublicly(event, context, async () => ({
    statusCode: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' },
    body: `${verifierKeyText(await verifierKey(serviceAddress(event.requestContext.domainName)))}\n`,
  }))
