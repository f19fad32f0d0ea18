import { expect, it } from 'vitest'
import { checkEmail } from '#shared/values/email.ts'

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['Ada@Example.COM', 'Ada@example.com'],
  ['ada+tag@sub.example.co.uk', 'ada+tag@sub.example.co.uk'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['ada@XN--E1AFMKFD.com', 'ada@xn--e1afmkfd.com'],
])('takes %s as %s', (text, email) => {
  expect(checkEmail(text)).toEqual({ email })
})

it.each([
  'ada',
  'ada@',
  '@example.com',
  'ada@localhost',
  'ada@example.',
  'ada@.example.com',
  'ada@exa..mple.com',
  'a da@example.com',
  'ada@exa mple.com',
  'ada@@example.com',
  'ada@-example.com',
  'ada@example-.com',
  'ada@exa_mple.com',
  'ada@192.0.2.1',
  'ada@[192.0.2.1]',
  'ada@xn--zz.com',
  `ada@${'x'.repeat(64)}.com`,
])('refuses %s', (text) => {
  expect(checkEmail(text)).toEqual({ message: 'is an invalid email address' })
})

it('counts the whole address', () => {
  expect(checkEmail(`${'a'.repeat(149)}@example.com`)).toEqual({ message: 'should be at most 160 character(s)' })
})
