import fc from 'fast-check'
import { expect, it } from 'vitest'
import { emptyProfile, profileOf } from '#shared/sign-in/identities/profile-fields.ts'

it('takes the given claims, and omits the others', () => {
  const claims = { sub: '1', name: ' Grace ', picture: 'https://pictures.example.com/1', roles: ['admin'] }
  expect(profileOf(claims)).toEqual({ name: 'Grace', picture: 'https://pictures.example.com/1' })
  expect(profileOf({})).toEqual({})
})

it.each([
  ['name', 'x'.repeat(300), 'x'.repeat(255)],
  ['name', '😀'.repeat(300), '😀'.repeat(255)],
  ['name', ` ${'x'.repeat(254)} y`, 'x'.repeat(254)],
  ['name', '', null],
  ['name', '  ', null],
  ['name', 7, null],
  ['name', ['Grace'], null],
  ['name', null, null],
  ['name', 'a\0b\ud800', 'ab\ufffd'],
  ['picture', `https://a.example.com/${'x'.repeat(2_026)}`, `https://a.example.com/${'x'.repeat(2_026)}`],
  ['picture', `https://a.example.com/${'x'.repeat(2_027)}`, null],
  ['profile', 'javascript:alert(1)', null],
  ['profile', 'not an address', null],
  ['svc_avatar_url', { url: 'https://a.example.com/' }, null],
])('reads the %s %j as %j', (name, value, expected) => {
  expect(profileOf({ [name]: value })).toEqual({ [name]: expected })
})

it('returns only storable values for any claims', () => {
  const names = Object.keys(emptyProfile)
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names, 'sub', '__proto__'), fc.anything()), (claims) => {
      for (const [name, value] of Object.entries(profileOf(claims))) {
        expect(names).toContain(name)
        if (value === null) continue
        expect([...value].length).toBeLessThanOrEqual(
          ['picture', 'profile', 'svc_avatar_url'].includes(name) ? 2048 : 255,
        )
        expect(value.isWellFormed() && value === value.trim() && value !== '').toBe(true)
      }
    }),
  )
})
