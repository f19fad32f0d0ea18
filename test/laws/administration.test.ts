import { describe, expect, it } from 'vitest'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'

/**
 * Operations by the broadest effect for a caller that has only the operation's scope (A3.3). Each new operation must be listed here. If it
 * can result in administration, its refusals must also include `scope_exceeded`.
 */
const leadsTo = {
  /** Operations that return only objects within the caller's scope. */
  sight: [
    'GET /access/actors/{id}/resources',
    'POST /access/evaluate',
    'GET /access/refusals',
    'GET /access/resources/{id}/actors',
    'GET /account',
    'GET /actors',
    'GET /actors/{actor_id}/api_tokens',
    'GET /actors/{actor_id}/api_tokens/{id}',
    'GET /actors/{actor_id}/client_tokens',
    'GET /actors/{actor_id}/client_tokens/{id}',
    'GET /actors/{actor_id}/external_identities',
    'GET /actors/{actor_id}/external_identities/{id}',
    'GET /actors/{actor_id}/groups',
    'GET /actors/{actor_id}/portal_sessions',
    'GET /actors/{id}',
    'GET /authorizations',
    'GET /clients',
    'GET /clients/{id}',
    'GET /gateways',
    'GET /gateways/{id}',
    'GET /groups',
    'GET /groups/{group_id}/memberships',
    'GET /groups/{id}',
    'GET /idp_directories/{id}/jwks',
    'GET /logs',
    'GET /logs/{log_id}',
    'GET /logs/{log_id}/proof',
    'GET /logs/archive',
    'GET /logs/checkpoints/{log}',
    'GET /logs/checkpoints/{log}/consistency',
    'GET /logs/checkpoints/{log}/leaves',
    'GET /logs/histogram',
    'GET /logs/top',
    'GET /mdm_devices',
    'GET /mdm_devices/{id}',
    'GET /mdm_posture_providers',
    'GET /mdm_posture_providers/{id}',
    'GET /mdm_posture_providers/{id}/runs',
    'GET /mdm_posture_providers/{id}/runs/{run_id}',
    'GET /mdm_posture_providers/{id}/runs/{run_id}/changes',
    'GET /names',
    'GET /overview',
    'GET /policies',
    'GET /policies/{id}',
    'GET /resources',
    'GET /resources/{id}',
    'GET /resources/{resource_id}/pool_members',
    'GET /search',
    'GET /sign_in/session',
    'GET /sign_in/{slug}/providers',
    'GET /sites',
    'GET /sites/{id}',
    'GET /sites/{site_id}/gateway_tokens',
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
    'GET /{kind}_directories/{id}/runs/{run_id}',
    'GET /{kind}_directories/{id}/runs/{run_id}/changes',
  ],
  /** Operations that give no person or device additional access. */
  'nothing beyond its scope': [
    'DELETE /actors/{actor_id}/api_tokens',
    'DELETE /actors/{actor_id}/api_tokens/{id}',
    'DELETE /actors/{actor_id}/client_tokens',
    'DELETE /actors/{actor_id}/client_tokens/{id}',
    'DELETE /actors/{actor_id}/external_identities/{id}',
    'DELETE /actors/{actor_id}/portal_sessions',
    'DELETE /actors/{actor_id}/portal_sessions/{id}',
    'DELETE /actors/{id}',
    'DELETE /authorizations/{id}',
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
  /** Operations that change the legacy network. Its users and roles have no access to the API. */
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
  /** Operations that give people or devices access to resources, or that create gateways for their connections. */
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
  /** Operations that give a person with a proven identity only that person's access, including a portal session. */
  'what the person may have': [
    'DELETE /sign_in/session',
    'GET /sign_in/callback',
    'GET /sign_in/callback/{auth_provider_id}',
    'POST /sign_in/session',
    'POST /sign_in/token',
    'POST /sign_in/{slug}/email_otp',
    'POST /sign_in/{slug}/email_otp/verify',
    'POST /sign_in/{slug}/start',
  ],
  /** Operations that give a device only the access that its token and policies permit. */
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
  /** Operations that could open the portal to a different person, or create a token with more scopes. `scope_exceeded` protects them. */
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

it('lists the effect of every operation once, and of no other', () => {
  expect(Object.values(leadsTo).flat().sort()).toEqual([...new Set(entries.map(lineOf))].sort())
})

describe.each(entries)('$name', (entry) => {
  const { refusals = [], method, permission, credential = 'api' } = entry.operation

  it('is protected if it can result in administration, and not otherwise', () => {
    expect(refusals.includes('scope_exceeded')).toBe(isIn('administration', entry))
  })

  it('requires a matching scope, or its own kind of credential', () => {
    const changes = credential === 'api' && !isIn('sight', entry)
    expect(permission?.endsWith(':write') ?? false).toBe(changes)
    if (credential === 'api' && method === 'GET') expect(isIn('sight', entry)).toBe(true)
    if (isIn('what the person may have', entry)) expect(['none', 'portal']).toContain(credential)
    if (isIn('what the device may have', entry)) expect(['client', 'gateway', 'ingest']).toContain(credential)
  })
})
