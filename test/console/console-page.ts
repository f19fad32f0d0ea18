import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Service, startService } from '#test/support/service/service.ts'
import { type Browsing, openBrowser } from '#test/support/sign-in/browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
export type Body = any

/** Console of a local service in a browser, signed in with the API token of the account. */
export type ConsolePage = {
  service: Service
  browsing: Browsing
  page: Page
  /** Calls the account API and returns `data`. */
  api(method: string, path: string, body?: unknown, token?: string): Promise<Body>
  signIn(path?: string): Promise<void>
  /** Opens a path below the account without a reload, which would lose the token. */
  open(path: string): Promise<void>
  close(): Promise<void>
}

export async function openConsole(chromium: string): Promise<ConsolePage> {
  const service = await startService()
  const browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  const { page } = browsing
  page.setDefaultTimeout(10_000)
  const api: ConsolePage['api'] = async (method, path, body, token = service.credentials.api_token) => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: Body = await response.json()
    return response.ok ? answer.data : Promise.reject(new Error(`${method} ${path}: ${JSON.stringify(answer)}`))
  }
  const { slug } = await api('GET', '/account')
  return {
    service,
    browsing,
    page,
    api,
    async signIn(path = '') {
      await page.goto(`${service.baseUrl}/console/${slug}${path}`)
      const link = page.getByRole('link', { name: 'Use an API token' })
      await link.or(page.getByLabel('API token')).waitFor()
      if (await link.isVisible()) await link.click()
      await page.getByLabel('API token').fill(service.credentials.api_token)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('navigation', { name: 'Menu' }).waitFor()
    },
    async open(path) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console/${slug}${path}`)})`)
      await expect.poll(() => page.locator('[aria-busy]').count(), { interval: 20, timeout: 10_000 }).toBe(0)
    },
    async close() {
      await browsing.close()
      await service.stop()
    },
  }
}
