import { afterAll, vi } from 'vitest'
import { awsClients } from '#shared/core/aws/clients.ts'
import { clock } from '#shared/core/clock.ts'
import { passwordCost } from '#shared/core/secrets/password-hash.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'

const { read } = discovery
const cost = { ...passwordCost }
/** Environment variables that the samples set directly instead of stubbing, because the bench runs outside vitest. */
const settings = ['ALLOW_INSECURE_PROVIDERS', 'SUITE_ISSUER', 'SUITE_CLIENT_SECRET'].map(
  (name) => [name, process.env[name]] as const,
)

/** Restores everything that a test file has replaced, because test files share processes. */
afterAll(() => {
  // Restores `discovery.read`, which the samples replace without a spy, because the bench uses samples outside vitest.
  discovery.read = read
  Object.assign(passwordCost, cost)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  // Discards the AWS clients, which keep the endpoint and credentials that they were created with.
  awsClients.clear()
  for (const [name, value] of settings) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  // Reloads the modules if the clock has jumped ahead, because the service's clock never goes back.
  if (clock.now() > (Date.now() + 1_000) * 1_000) vi.resetModules()
})
