import { expect, it } from 'vitest'
import { handler as getAuthProvider } from '#functions/api/auth-providers/get-auth-provider.ts'
import type { Event } from '#shared/http/exchange.ts'

const routed = (routeKey: string) => getAuthProvider({ routeKey } as Event)

it.each(['GET /suite_directories/{id}', 'GET /oidc_auth_providers', '$default', ''])(
  'refuses the route %j, which the function does not serve',
  async (routeKey) => {
    await expect(routed(routeKey)).rejects.toThrow(`No operation of this function has the route ${routeKey}.`)
  },
)
