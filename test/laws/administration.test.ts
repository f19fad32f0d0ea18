import { describe, expect, it } from 'vitest'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'

/**
 * Widest effect of each operation for a caller who holds its scope and no other (A3.3). An operation that is new
 * needs a line here; one that can lead to administration also needs its guard, `scope_exceeded` among its refusals.
 */
const leadsTo = {
  /** Shows what its scope names. */
  sight: [
    'GET /access/actors/{id}/resources',
    'POST /access/evaluate',
    'GET /access/resources/{id}/actors',
    'GET /account',
    'GET /actors',
    'GET /actors/{actor_id}/api_tokens',
    'GET /actors/{actor_id}/api_tokens/{id}',
    'GET /actors/{actor_id}/client_tokens',
    'GET /actors/{actor_id}/client_tokens/{id}',
    'GET /actors/{actor_id}/external_identities',
    'GET /actors/{actor_id}/external_identities/{id}',
    'GET /actors/{id}',
    'GET /clients',
    'GET /clients/{id}',
    'GET /groups',
    'GET /groups/{group_id}/memberships',
    'GET /groups/{id}',
    'GET /idp_directories/{id}/jwks',
    'GET /logs',
    'GET /logs/{log_id}',
    'GET /logs/{log_id}/proof',
    'GET /logs/checkpoints/{log}',
    'GET /logs/checkpoints/{log}/consistency',
    'GET /logs/checkpoints/{log}/leaves',
    'GET /mdm_devices',
    'GET /mdm_devices/{id}',
    'GET /mdm_posture_providers',
    'GET /mdm_posture_providers/{id}',
    'GET /mdm_posture_providers/{id}/runs',
    'GET /mdm_posture_providers/{id}/runs/{run_id}/changes',
    'GET /policies',
    'GET /policies/{id}',
    'GET /resources',
    'GET /resources/{id}',
    'GET /resources/{resource_id}/pool_members',
    'GET /sign_in/{slug}/providers',
    'GET /sites',
    'GET /sites/{id}',
    'GET /sites/{site_id}/gateways',
    'GET /sites/{site_id}/gateways/{id}',
    'GET /v0/configuration',
    'GET /v0/devices',
    'GET /v0/devices/{id}',
    'GET /v0/rules',
    'GET /v0/rules/{id}',
    'GET /v0/users',
    'GET /v0/users/{id_or_email}',
    'GET /{kind}_auth_providers',
    'GET /{kind}_auth_providers/{id}',
    'GET /{kind}_directories',
    'GET /{kind}_directories/{id}',
    'GET /{kind}_directories/{id}/runs',
    'GET /{kind}_directories/{id}/runs/{run_id}/changes',
  ],
  /** Takes away, renames, or changes what decides nothing for people and devices. */
  'nothing beyond its scope': [
    'DELETE /actors/{actor_id}/api_tokens',
    'DELETE /actors/{actor_id}/api_tokens/{id}',
    'DELETE /actors/{actor_id}/client_tokens',
    'DELETE /actors/{actor_id}/client_tokens/{id}',
    'DELETE /actors/{actor_id}/external_identities/{id}',
    'DELETE /actors/{id}',
    'DELETE /clients/{id}',
    'DELETE /groups/{id}',
    'DELETE /mdm_posture_providers/{id}',
    'DELETE /policies/{id}',
    'DELETE /resources/{id}',
    'DELETE /sites/{id}',
    'DELETE /sites/{site_id}/gateway_tokens',
    'DELETE /sites/{site_id}/gateway_tokens/{id}',
    'DELETE /sites/{site_id}/gateways/{id}',
    'DELETE /{kind}_auth_providers/{id}',
    'DELETE /{kind}_directories/{id}',
    'PATCH /clients/{id}',
    'PATCH /groups/{id}',
    'PATCH /mdm_posture_providers/{id}',
    'PATCH /sites/{id}',
    'POST /groups',
    'POST /mdm_posture_providers',
    'POST /mdm_posture_providers/{id}/preview',
    'POST /mdm_posture_providers/{id}/sync',
    'POST /sites',
    'POST /{kind}_directories/{id}/preview',
    'PUT /clients/{id}/unverify',
  ],
  /** Changes what the legacy network is made of; its users and roles open no API. */
  'the legacy network': [
    'DELETE /v0/devices/{id}',
    'DELETE /v0/rules/{id}',
    'DELETE /v0/users/{id_or_email}',
    'PATCH /v0/configuration',
    'PATCH /v0/devices/{id}',
    'PATCH /v0/rules/{id}',
    'PATCH /v0/users/{id_or_email}',
    'POST /v0/devices',
    'POST /v0/rules',
    'POST /v0/users',
  ],
  /** Gives people or devices access to resources, or makes a gateway that they connect through. */
  access: [
    'PATCH /groups/{group_id}/memberships',
    'PATCH /policies/{id}',
    'PATCH /resources/{id}',
    'PATCH /resources/{resource_id}/pool_members',
    'PATCH /sites/{site_id}/gateways/{id}',
    'POST /actors/{actor_id}/client_tokens',
    'POST /policies',
    'POST /resources',
    'POST /sites/{site_id}/gateway_tokens',
    'POST /sites/{site_id}/gateways',
    'POST /sites/{site_id}/gateways/{gateway_id}/token',
    'POST /sites/{site_id}/gateways/{gateway_id}/token/rotate',
    'POST /{kind}_directories/{id}/sync',
    'PUT /clients/{id}/verify',
    'PUT /groups/{group_id}/memberships',
    'PUT /resources/{resource_id}/pool_members',
  ],
  /** Gives a person who has proven an identity what that person may have, a portal session included. */
  'what the person may have': [
    'DELETE /sign_in/session',
    'GET /sign_in/callback',
    'GET /sign_in/callback/{auth_provider_id}',
    'POST /sign_in/token',
    'POST /sign_in/{slug}/email_otp',
    'POST /sign_in/{slug}/email_otp/verify',
    'POST /sign_in/{slug}/start',
  ],
  /** Gives a device what its token, and the policies behind it, allow. */
  'what the device may have': [
    'DELETE /client/sessions/{id}',
    'DELETE /gateway/sessions/{id}',
    'GET /client/sessions/{id}/resources',
    'POST /client/authorizations',
    'POST /client/sessions',
    'POST /gateway/sessions',
    'POST /ingestion/flow_logs',
    'PUT /client/sessions/{id}',
    'PUT /gateway/sessions/{id}',
  ],
  /** Could open the portal to somebody, or bring a wider token into the world: guarded by `scope_exceeded`. */
  administration: [
    'PATCH /actors/{id}',
    'PATCH /{kind}_auth_providers/{id}',
    'PATCH /{kind}_directories/{id}',
    'POST /actors',
    'POST /actors/{actor_id}/api_tokens',
    'POST /{kind}_auth_providers',
    'POST /{kind}_directories',
    'POST /{kind}_directories/{id}/runs/{run_id}/rewind',
  ],
} as const satisfies Record<string, readonly string[]>

const entries = await loadEntries()
const kinds = /^\/(email_otp|oidc|suite|tenant|idp)_(auth_providers|directories)/
const lineOf = ({ operation: { method, path } }: Entry): string =>
  path.endsWith('/jwks') ? `${method} ${path}` : `${method} ${path.replace(kinds, '/{kind}_$2')}`
const isIn = (outcome: keyof typeof leadsTo, entry: Entry): boolean =>
  (leadsTo[outcome] as readonly string[]).includes(lineOf(entry))

it('says of every operation, once, what it can lead to, and of no other', () => {
  expect(Object.values(leadsTo).flat().sort()).toEqual([...new Set(entries.map(lineOf))].sort())
})

describe.each(entries)('$name', (entry) => {
  const { refusals = [], method, permission, credential = 'api' } = entry.operation

  it('is guarded where it can lead to administration, and nowhere else', () => {
    expect(refusals.includes('scope_exceeded')).toBe(isIn('administration', entry))
  })

  it('needs a scope that fits, or a credential of its own', () => {
    const changes = credential === 'api' && !isIn('sight', entry)
    expect(permission?.endsWith(':write') ?? false).toBe(changes)
    if (credential === 'api' && method === 'GET') expect(isIn('sight', entry)).toBe(true)
    if (isIn('what the person may have', entry)) expect(['none', 'portal']).toContain(credential)
    if (isIn('what the device may have', entry)) expect(['client', 'gateway', 'ingest']).toContain(credential)
  })
})
