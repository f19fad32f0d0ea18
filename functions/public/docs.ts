import type { Handler } from '#shared/http/lambda.ts'
import { answerPublicly, staticFile } from '#shared/http/static-file.ts'

/** Content security policy. Besides resources from this origin, the page needs inline styles, data images and a blob worker. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = staticFile(new URL('./docs.html', import.meta.url), {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
})

const renderer = staticFile(new URL('./redoc.standalone.js', import.meta.url), {
  'content-type': 'text/javascript; charset=utf-8',
  // Cached for a day: the script changes only when its version does, and the page also works with the previous version.
  'cache-control': 'public, max-age=86400',
})

/** Serves the API reference at `GET /docs`, and the script that renders it from the OpenAPI document. */
export const handler: Handler = (event, context) =>
  answerPublicly(event, context, () => (event.rawPath === '/docs' ? page(event) : renderer(event)))
