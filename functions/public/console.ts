import { notFound } from '#shared/core/errors.ts'
import type { Answer, Event } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { answerPublicly, compressedFile } from '#shared/http/static-file.ts'

/** Hashes of the constant style elements that react-aria and Plot insert (K4.1). A test computes them from the installed versions. */
export const styleHashes = [
  'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o=',
  'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww=',
]

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${styleHashes.map((hash) => `'${hash}'`).join(' ')}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const page = compressedFile({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
})

const fileTypes: Record<string, string> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

/** Serves a file whose name contains the hash of its content, and which browsers therefore never request twice. */
const files = Object.fromEntries(
  Object.entries(fileTypes).map(([extension, type]) => [
    extension,
    compressedFile({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }),
  ]),
)

const folder = new URL('./console/', import.meta.url)

async function answer(event: Event): Promise<Answer> {
  const [, name, extension = ''] = /^\/console\/_\/([\w-]+\.(\w+))$/.exec(event.rawPath) ?? []
  const file = name === undefined ? undefined : await files[extension]?.(new URL(name, folder), event)
  if (file) return file
  if (event.rawPath.startsWith('/console/_/')) throw notFound()
  return (await page(new URL('page.html', folder), event)) ?? Promise.reject(notFound())
}

/** Serves the web console: its page at every path below `/console`, and its files below `/console/_/` (K2.3). */
export const handler: Handler = (event, context) => answerPublicly(event, context, () => answer(event))
