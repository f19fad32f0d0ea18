import { expect, it } from 'vitest'
import { handler as getConfiguration } from '#functions/v0/configuration/get-v0-configuration.ts'
import { serviceAddress } from '#shared/core/service-address.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

it('exists with initial values from the creation of the account', async () => {
  const account = await newAccount()
  const { status, headers, body } = await account.call(getConfiguration, { path: '/v0/configuration' })
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      allow_unprivileged_device_configuration: true,
      allow_unprivileged_device_management: true,
      default_client_allowed_ips: '0.0.0.0/0,::/0',
      default_client_dns: '1.1.1.1,1.0.0.1',
      default_client_endpoint: `${new URL(serviceAddress()).hostname}:51820`,
      default_client_mtu: 1280,
      default_client_persistent_keepalive: 25,
      disable_vpn_on_oidc_error: false,
      local_auth_enabled: true,
      logo: null,
      vpn_session_duration: 0,
      openid_connect_providers: [],
      saml_identity_providers: [],
      inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: body.data.inserted_at,
    },
  })
  expect(headers.link).toBe('</account>; rel="successor-version"')
  const [first] = await readCommits(account.id)
  expect(first?.subject).toBeNull()
  expect(first?.changes).toContainEqual({
    object: 'v0_configurations',
    operation: 'insert',
    before: null,
    after: body.data,
  })
})

it("belongs to the token's account", async () => {
  const [one, other] = [await newAccount(), await newAccount()]
  const ids = await Promise.all([one, other].map(async (own) => (await own.call(getConfiguration)).body.data.id))
  expect(ids[0]).not.toBe(ids[1])
})
