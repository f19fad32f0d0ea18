import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listen, openServer } from '#infra/local/api/open-server.ts'

const blocker = createServer()
let port = 0
beforeAll(async () => {
  port = await listen(blocker, 0)
})
afterAll(() => void blocker.close())

it.each([
  ['PORT', 'npm start.'],
  ['DEMO_IDP_PORT', 'npm start -- --demo-idp.'],
])('names the complete command to start with another %s', async (variable, command) => {
  const next = port < 65_535 ? port + 1 : port - 1
  await expect(
    listen(
      openServer(() => undefined),
      port,
      variable,
    ),
  ).rejects.toThrow(
    `Port ${port} is in use by another program. Set ${variable} to a free one, for example ${variable}=${next} ${command}`,
  )
})
