import type { Handler } from '#shared/http/lambda.ts'
import { answerPublicly, staticFile } from '#shared/http/static-file.ts'

const document = staticFile(new URL('./openapi.json', import.meta.url), {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
})

/** Serves `GET /openapi.json`, and redirects `GET /openapi` to it (A2.12). */
export const handler: Handler = (event, context) =>
  answerPublicly(event, context, () =>
    event.rawPath === '/openapi' ? { statusCode: 308, headers: { location: '/openapi.json' } } : document(event),
  )
