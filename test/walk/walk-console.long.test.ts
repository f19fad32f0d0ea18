import { readdirSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '#test/support/service/service.ts'
import { type Browsing, chromiumPath, openBrowser } from '#test/support/sign-in/browser.ts'
import { has } from './type-commands.ts'
import { documentLabels, documentPictures, walkConsole } from './walk-console.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the walk in the console is not tested.\n')

/** Bounds of the pictures in the documents: their number, and the bytes of each. */
const maxPictures = 12
const maxBytes = 150 * 1024

let service: Service
let browsing: Browsing

describe.skipIf(!chromium || !has('curl'))('the section about the console in docs/walk.md', () => {
  beforeAll(async () => {
    service = await startService()
    browsing = await openBrowser(chromium ?? '', { javaScriptEnabled: true })
    browsing.page.setDefaultTimeout(10_000)
  }, 180_000)
  afterAll(async () => {
    await browsing?.close()
    await service?.stop()
  })

  it('works as written, with each of its labels and pictures', async () => {
    const pictures: string[] = []
    const picture = async (name: string) => void pictures.push(`${name}.png`)
    const labels = await walkConsole({ service, page: browsing.page, picture })
    expect([...labels].sort()).toEqual([...documentLabels()].sort())
    expect(pictures).toEqual(documentPictures())
    expect(browsing.violations).toEqual([])
  })
})

it('has at most 12 pictures of at most 150 KB, which documents show', () => {
  const folder = new URL('../../docs/pictures/', import.meta.url)
  const files = readdirSync(folder)
  expect(files.sort()).toEqual(documentPictures().sort())
  expect(files.length).toBeLessThanOrEqual(maxPictures)
  for (const file of files) expect(statSync(new URL(file, folder)).size, file).toBeLessThanOrEqual(maxBytes)
})
