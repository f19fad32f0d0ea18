import { createHash } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import { Html, html } from './html.ts'
import { pageStyle } from './page-style.ts'

export type HtmlPage = {
  title: string
  body: Html
  status?: number
  /** Additional sources of `form-action`, including targets of redirects after a form (CSP 3, 6.4.1). */
  formTargets?: readonly string[] | 'anywhere'
}

export const administrator = 'an administrator of your company’s network access'

let styleHash: string | undefined

/** Builds a content security policy that allows only the page's own style and the given form targets. */
function policy(formTargets: HtmlPage['formTargets'] = []): string {
  styleHash ??= createHash('sha256').update(pageStyle).digest('base64')
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    ...(formTargets === 'anywhere' ? [] : [`form-action ${["'self'", ...formTargets].join(' ')}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const documentOf = ({ title, body }: HtmlPage): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(pageStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/** Builds the response with a page. The page is not cached and sends no referrer, because its address contains a state. */
export const pageAnswer = (page: HtmlPage): Answer => ({
  statusCode: page.status ?? 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(page.formTargets),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
  },
  body: documentOf(page).text,
})
