import { expect, test } from 'vitest'
import type { Change } from '#shared/commit/commit-record.ts'
import { addCommit, addEndedAuthorization, emptyNotification } from '#shared/jobs/nudges/notification.ts'

type Fields = Record<string, unknown>
const inserted = (object: string, after: Fields): Change => ({ object, operation: 'insert', before: null, after })
const deleted = (object: string, before: Fields): Change => ({ object, operation: 'delete', before, after: null })
const updated = (object: string, before: Fields, after: Fields): Change => ({
  object,
  operation: 'update',
  before,
  after: { ...before, ...after },
})

const notificationOf = (...changes: Change[]) => {
  const notification = emptyNotification()
  addCommit(notification, { changes })
  return notification
}

const policy = { id: 'p', group_id: 'g', resource_id: 'r', conditions: [], is_disabled: false, description: null }

test('memberships notify their actor', () => {
  const membership = { id: 'm', group_id: 'g', actor_id: 'a' }
  expect(notificationOf(inserted('memberships', membership)).actors).toEqual(new Set(['a']))
  expect(notificationOf(deleted('memberships', membership)).actors).toEqual(new Set(['a']))
})

test('changed access of policies notifies their group, and the previous group', () => {
  expect(notificationOf(inserted('policies', policy)).groups).toEqual(new Set(['g']))
  expect(notificationOf(deleted('policies', policy)).groups).toEqual(new Set(['g']))
  expect(notificationOf(updated('policies', policy, { group_id: 'h' })).groups).toEqual(new Set(['g', 'h']))
  expect(notificationOf(updated('policies', policy, { resource_id: 's' })).groups).toEqual(new Set(['g']))
  expect(notificationOf(updated('policies', policy, { is_disabled: true })).groups).toEqual(new Set(['g']))
  const conditions = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }]
  expect(notificationOf(updated('policies', policy, { conditions })).groups).toEqual(new Set(['g']))
  expect(notificationOf(updated('policies', policy, { description: 'Other', updated_at: 'now' }))).toEqual(
    emptyNotification(),
  )
  const reordered = [{ values: ['192.0.2.0/24'], operator: 'is_in_cidr', property: 'remote_ip' }]
  expect(notificationOf(updated('policies', { ...policy, conditions }, { conditions: reordered }))).toEqual(
    emptyNotification(),
  )
  expect(notificationOf(updated('policies', { ...policy, group_id: null }, { is_disabled: true })).groups).toEqual(
    new Set(),
  )
})

test('changed resources notify the gateways and clients that have them', () => {
  expect(notificationOf(updated('resources', { id: 'r', filters: [] }, { filters: [{}] })).resources).toEqual(
    new Set(['r']),
  )
  expect(notificationOf(inserted('resources', { id: 'r' }))).toEqual(emptyNotification())
})

test('verification and unverification notify only the client', () => {
  const client = { id: 'c', actor_id: 'a', name: 'Laptop', verified_at: null }
  expect(notificationOf(updated('clients', client, { verified_at: 'now' }))).toEqual({
    ...emptyNotification(),
    clients: new Set(['c']),
  })
  expect(notificationOf(updated('clients', client, { name: 'Other' }))).toEqual(emptyNotification())
  expect(notificationOf(inserted('clients', client))).toEqual(emptyNotification())
})

test('sessions end with their token, device, actor and account', () => {
  const { sessionEnds } = notificationOf(
    deleted('client_tokens', { id: 't' }),
    deleted('gateway_tokens', { id: 'u' }),
    deleted('clients', { id: 'c', actor_id: 'a' }),
    deleted('gateways', { id: 'g' }),
    updated('actors', { id: 'a', is_disabled: false }, { is_disabled: true }),
    deleted('actors', { id: 'b', is_disabled: false }),
    updated('accounts', { id: 'x', is_disabled: false, features: {} }, { is_disabled: true }),
  )
  expect(Object.fromEntries(sessionEnds)).toEqual({
    t: 'token',
    u: 'token',
    c: 'device',
    g: 'device',
    a: 'actor',
    b: 'actor',
    x: 'account',
  })
  expect(notificationOf(updated('actors', { id: 'a', is_disabled: true }, { is_disabled: false }))).toEqual(
    emptyNotification(),
  )
})

test('the features of an account notify all devices', () => {
  const account = { id: 'x', is_disabled: false, features: { internet_resource: false } }
  expect(notificationOf(updated('accounts', account, { features: { internet_resource: true } })).everyone).toBe(true)
  expect(notificationOf(updated('accounts', account, { legal_name: 'Other' })).everyone).toBe(false)
})

test('objects without effect on connections notify no device', () => {
  expect(
    notificationOf(inserted('groups', { id: 'g' }), inserted('sites', { id: 's' }), inserted('api_tokens', {})),
  ).toEqual(emptyNotification())
})

test('an ended authorization notifies its gateway, unless it had expired', () => {
  const notification = emptyNotification()
  const now = '2026-01-01T00:00:00.000000Z'
  const ended = (gateway_id: string, expires_at: string) =>
    addEndedAuthorization(notification, { gateway_id, client_id: 'c', expires_at }, now)
  ended('g', '2026-01-02T00:00:00.000000Z')
  ended('h', '2025-01-02T00:00:00.000000Z')
  expect(notification.endedAuthorizations).toEqual([{ gateway: 'g', client: 'c' }])
})
