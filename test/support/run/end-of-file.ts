import { afterAll, vi } from 'vitest'
import { awsClients } from '#shared/core/aws/clients.ts'
import { clock } from '#shared/core/clock.ts'
import { passwordCost } from '#shared/core/secrets/password-hash.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'

const { read } = discovery
const cost = { ...passwordCost }
/** Settings that the samples write to `process.env`, for the bench without stubs, too. */
const settings = ['ALLOW_INSECURE_PROVIDERS', 'SUITE_ISSUER', 'SUITE_CLIENT_SECRET'].map(
  (name) => [name, process.env[name]] as const,
)

/** Test files share processes, so each file restores everything that it replaced. */
afterAll(() => {
  // The samples replace this function without a spy, because the bench uses them outside vitest.
  discovery.read = read
  Object.assign(passwordCost, cost)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  // A client keeps the endpoint and credentials that it was created with.
  awsClients.clear()
  for (const [name, value] of settings) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  // The service's clock never goes back. After a jump ahead, the next file loads new modules with a new clock.
  if (clock.now() > (Date.now() + 1_000) * 1_000) vi.resetModules()
})
