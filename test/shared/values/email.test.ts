import { expect, it } from 'vitest'
import { checkEmail } from '#shared/values/email.ts'

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['Ada@Example.COM', 'Ada@example.com'],
  ['ada+tag@sub.example.co.uk', 'ada+tag@sub.example.co.uk'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['ada@XN--E1AFMKFD.com', 'ada@xn--e1afmkfd.com'],
])('reads %s as %s', (text, email) => {
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
  'ada@example.com/b',
  'ada@example.com?b',
  'ada@ex%61mple.com',
  'ada@192.0.2.1',
  'ada@[192.0.2.1]',
  'ada@xn--zz.com',
  `ada@${'x'.repeat(64)}.com`,
])('refuses %s', (text) => {
  expect(checkEmail(text)).toEqual({ message: 'is an invalid email address' })
})

it.each([0x00, 0x1b, 0x7f, 0x85, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xe0001])(
  'refuses the control or format character %i in the local part',
  (code) => {
    expect(checkEmail(`a${String.fromCodePoint(code)}da@example.com`)).toEqual({
      message: 'is an invalid email address',
    })
  },
)

it.each(['\ud800da@example.com', 'ada\udc00@example.com', 'ada@exa\ud800mple.com'])(
  'refuses half a surrogate pair, which no table can store (%j)',
  (text) => {
    expect(checkEmail(text)).toEqual({ message: 'is an invalid email address' })
  },
)

it('limits the length of the whole address', () => {
  expect(checkEmail(`${'a'.repeat(149)}@example.com`)).toEqual({ message: 'should be at most 160 character(s)' })
})
