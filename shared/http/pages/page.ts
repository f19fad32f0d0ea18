import { createHash } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import { Html, html } from './html.ts'
import { pageStyle } from './page-style.ts'

export type Page = {
  title: string
  body: Html
  status?: number
  /** Where forms may lead besides the page's own origin, also by a redirect: sources of `form-action` (CSP 3, 6.4.1). */
  formTargets?: readonly string[] | 'anywhere'
}

let styleHash: string | undefined

/** The person whom a page names for help. */
export const administrator = 'an administrator of your company’s network access'

/** Nothing but the page's own style and forms: no script, no picture, no frame, nothing from elsewhere. */
function policy(formTargets: Page['formTargets'] = []): string {
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

const documentOf = ({ title, body }: Page): Html => html`<!doctype html>
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

/**
 * A page for a person. What it was asked with (a state, an address to return to) is in its own address, so nobody keeps it
 * and no other address is told of it.
 */
export const pageAnswer = (page: Page): Answer => ({
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
