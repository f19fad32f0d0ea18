import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConsoleWorld, openConsoleWorld } from '#test/support/console/console-world.ts'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { testAuditor } from './auditor.ts'
import { testDirectories } from './directories.ts'
import { testKeyboard } from './keyboard.ts'
import { testScreens } from './screens.ts'
import { testIdleSession, testSessions } from './sessions.ts'
import { testWork } from './work.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the web console is not tested.\n')

let world: ConsoleWorld

beforeAll(async () => {
  if (chromium) world = await openConsoleWorld(chromium)
}, 180_000)

afterAll(() => world?.stop())

/** Tests of the console share a service and a browser, because both take seconds to start. */
describe.skipIf(!chromium)('the console in a browser', () => {
  testSessions(() => world)
  testScreens(() => world)
  testKeyboard(() => world)
  testWork(() => world)
  testDirectories(() => world)
  testAuditor(() => world)

  it('violated neither its content security policy nor any expectation of its code', () => {
    expect(world.browsing.violations).toEqual([])
    expect(world.failures).toEqual([])
  })

  testIdleSession(() => world)
})
