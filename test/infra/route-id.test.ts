import { expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { collectionOf, routeId } from '#infra/api/route-id.ts'

it.each([
  ['GET', '/groups', 'GetGroups', 'groups'],
  ['PATCH', '/groups/{id}', 'PatchGroupsById', 'groups'],
  ['PUT', '/sites/{site_id}/gateways/{id}', 'PutSitesBySiteIdGatewaysById', 'sites'],
  ['POST', '/email_otp_auth_providers', 'PostEmailOtpAuthProviders', 'email-otp-auth-providers'],
  ['GET', '/v0/users/{id_or_email}', 'GetV0UsersByIdOrEmail', 'v0-users'],
  ['GET', '/openapi.json', 'GetOpenapiJson', 'openapi-json'],
])('names %s %s by its route only', (method, path, id, collection) => {
  expect([routeId(method, path), collectionOf(path)]).toEqual([id, collection])
})

it('has a unique name for every operation', async () => {
  const ids = (await loadOperations()).map(({ operation: { method, path } }) => routeId(method, path))
  expect(new Set(ids).size).toBe(ids.length)
})
