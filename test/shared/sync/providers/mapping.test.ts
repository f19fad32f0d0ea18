import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deviceFields } from '#shared/domain/mdm-devices/mdm-device.ts'
import type { DirectoryUser } from '#shared/sync/adapter.ts'
import { idpGroup, idpUser, isSignInApp, nextCursor } from '#shared/sync/providers/idp.ts'
import { managedDevice } from '#shared/sync/providers/managed-devices.ts'
import { listFields, type MdmList, mdmDevice } from '#shared/sync/providers/mdm.ts'
import type { ProviderEntry } from '#shared/sync/providers/rows.ts'
import { suiteGroup, suiteMember, suiteUnit, suiteUser } from '#shared/sync/providers/suite.ts'
import { tenantGroup, tenantUser } from '#shared/sync/providers/tenant.ts'
import { checkEmail } from '#shared/values/email.ts'

const values = fc.oneof(
  fc.string(),
  fc.emailAddress(),
  fc.constant(null),
  fc.constant(undefined),
  fc.boolean(),
  fc.integer(),
  fc.constant({}),
  fc.constant([]),
)
const entryOf = <K extends string>(...fields: K[]) =>
  fc.record({
    id: fc.string({ minLength: 1 }),
    ...Object.fromEntries(fields.map((field) => [field, values])),
  }) as fc.Arbitrary<{ id: string } & Record<string, unknown>>
const below = (...fields: string[]) =>
  fc.oneof(values, fc.record(Object.fromEntries(fields.map((field) => [field, values]))))

function expectUsable(found: ProviderEntry<DirectoryUser>, id: string): void {
  if ('skipped' in found) {
    expect(found.skipped).toMatchObject({ idp_id: id, reason: expect.stringMatching(/^(no|invalid)_email$/) })
    return
  }
  const { active, email, name, ...rest } = found.entry
  if (active) expect(checkEmail(String(email))).toEqual({ email })
  expect(name.trim()).not.toBe('')
  expect(Object.values(rest).every((value) => value === null || (typeof value === 'string' && value !== ''))).toBe(true)
}

it('users: gives every active user an email and a name for any field values', () => {
  const users = entryOf('status', 'primaryEmail', 'suspended', 'archived', 'mail', 'userPrincipalName', 'displayName')
  const profile = below(
    'email',
    'login',
    'firstName',
    'lastName',
    'displayName',
    'middleName',
    'nickName',
    'profileUrl',
  )
  const name = below('fullName', 'givenName', 'familyName')
  const call = { url: new URL('https://example.com/users') }
  fc.assert(
    fc.property(
      users,
      profile,
      name,
      fc.constantFrom('ACTIVE', 'SUSPENDED'),
      fc.boolean(),
      (user, profile, name, status, accountEnabled) => {
        fc.pre(user.id.trim() !== '')
        expectUsable(idpUser({ ...user, profile, status }), user.id)
        expectUsable(suiteUser({ ...user, name }), user.id)
        expectUsable(tenantUser(call, { ...user, accountEnabled }, 'mail'), user.id)
      },
    ),
  )
})

it('groups: gives every group a name for any field values', () => {
  const group = entryOf(
    'name',
    'email',
    'displayName',
    'mail',
    'orgUnitPath',
    'directMembersCount',
    'lastMembershipUpdated',
  )
  fc.assert(
    fc.property(group, below('name'), (group, profile) => {
      fc.pre(group.id.trim() !== '')
      for (const found of [idpGroup({ ...group, profile }), suiteGroup(group), suiteUnit(group), tenantGroup(group)]) {
        expect(found.name.trim()).not.toBe('')
        expect(found.email === null || found.email.trim() !== '').toBe(true)
        expect(found.stated_members === null || found.stated_members >= 0).toBe(true)
      }
    }),
  )
})

it('members and applications: maps any field values to a known kind', () => {
  fc.assert(
    fc.property(entryOf('type', 'email', 'status', 'signOnMode', 'settings'), (entry) => {
      const found = suiteMember(entry)
      expect('entry' in found || found.skipped.reason === 'foreign_member').toBe(true)
      expect(typeof isSignInApp(entry)).toBe('boolean')
    }),
  )
})

const kinds = { text: 'string', boolean: 'boolean', number: 'number', timestamp: 'string' }

it('devices: converts any field value to its type or null', () => {
  const paths = Object.values(listFields).flatMap((fields) => Object.values(fields) as (string | string[])[])
  const names = [...new Set(paths.flat()), 'deviceName', 'isEncrypted', 'resetCount', 'lastSyncDateTime']
  fc.assert(
    fc.property(entryOf(...names), below('id', 'name', 'is_archived'), (entry, user) => {
      const lists = Object.keys(listFields) as MdmList[]
      for (const { fields } of [...lists.map((list) => mdmDevice(list, { ...entry, user })), managedDevice(entry)]) {
        for (const [field, value] of Object.entries(fields)) {
          const kind = deviceFields.get(field)
          if (kind && value !== null) expect([field, typeof value]).toEqual([field, kinds[kind]])
        }
      }
    }),
    { numRuns: 40 },
  )
})

it('maps only to known device fields', () => {
  const fieldNames = Object.values(listFields).flatMap((fields) => Object.keys(fields))
  expect(fieldNames.filter((field) => !deviceFields.has(field))).toEqual([])
  expect(new Set(fieldNames).size).toBe(fieldNames.length)
})

it.each([
  ['<https://a.example.com/x?after=1>; rel="self", <https://a.example.com/x?after=2&limit=3>; rel="next"', '2'],
  ['<https://a.example.com/x?after=2>; rel=next', '2'],
  ['<https://a.example.com/x>; rel="self"', null],
  ['<https://a.example.com/x>; rel="next"', null],
  ['<no address>; rel="next"', null],
  ['', null],
])('the cursor of %s', (link, cursor) => {
  expect(nextCursor(new Headers({ link }))).toBe(cursor)
})
