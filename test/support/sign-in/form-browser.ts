type Form = { action: string; method: string; fields: Record<string, string>; html: string }

const attribute = (tag: string, name: string): string | null => {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? null : value.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')
}

function formsIn(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', inside = '']) => ({
    action: attribute(tag, 'action') ?? '',
    method: attribute(tag, 'method') ?? 'get',
    fields: Object.fromEntries(
      [...inside.matchAll(/<input\b([^>]*)>/g)].flatMap(([, input = '']) => {
        const name = attribute(input, 'name')
        return name === null ? [] : [[name, attribute(input, 'value') ?? '']]
      }),
    ),
    html: inside,
  }))
}

/** Returns the form to submit and any changed fields, or null to follow the page's cancel link. */
type ChooseForm = (forms: Form[]) => { form: Form; fields?: Record<string, string> } | null

/**
 * Submits the forms on a provider's pages, with cookies. Stops when the provider redirects to an address that starts with `home`, and
 * returns this address.
 */
export async function walkForms(start: string, home: string, answer: ChooseForm): Promise<string> {
  const cookies = new Map<string, string>()
  let next: { url: string; init?: RequestInit } = { url: start }
  for (let steps = 0; steps < 15; steps++) {
    if (next.url.startsWith(home)) return next.url
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(next.init?.headers as Record<string, string>), cookie }
    const page = await fetch(next.url, { ...next.init, headers, redirect: 'manual' })
    for (const line of page.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = page.headers.get('location')
    const html = await page.text()
    if (location) {
      next = { url: new URL(location, next.url).href }
      continue
    }
    const chosen = answer(formsIn(html))
    if (!chosen) {
      const [, away = ''] = /href="([^"]*abort[^"]*)"/.exec(html) ?? []
      next = { url: new URL(away, next.url).href }
      continue
    }
    const { form, fields } = chosen
    const body = new URLSearchParams({ ...form.fields, ...fields })
    const url = new URL(form.action, next.url)
    if (form.method.toLowerCase() === 'get') next = { url: `${url.href}?${body}` }
    else {
      next = {
        url: url.href,
        init: {
          method: 'POST',
          body: body.toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      }
    }
  }
  throw new Error('15 pages have not redirected home.')
}
