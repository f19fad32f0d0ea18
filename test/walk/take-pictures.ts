import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startService } from '#test/support/service/service.ts'
import { chromiumPath, openBrowser } from '#test/support/sign-in/browser.ts'
import { walkConsole } from './walk-console.ts'

/** Follows the section of `docs/walk.md` about the console, and writes its pictures to `docs/pictures/`. */
export async function takePictures(): Promise<void> {
  const chromium = chromiumPath()
  if (!chromium) throw new Error('There is no Chromium on this machine. Set CHROMIUM to its path.')
  const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const service = await startService()
  const browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  try {
    const { page } = browsing
    page.setDefaultTimeout(10_000)
    await page.setViewportSize({ width: 1120, height: 820 })
    await walkConsole({
      service,
      page,
      async picture(name) {
        await page.waitForLoadState('networkidle')
        await page.mouse.move(0, 0)
        await page.screenshot({ path: `${folder}${name}.png`, style: '.notices { display: none }' })
        process.stdout.write(`docs/pictures/${name}.png\n`)
      },
    })
  } finally {
    await browsing.close()
    await service.stop()
  }
}
