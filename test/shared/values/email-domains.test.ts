import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { isInDomains } from '#shared/values/email.ts'
import { EmailDomains } from '#shared/values/fields.ts'

function read(input: unknown) {
  const result = v.safeParse(EmailDomains, input)
  if (result.success) return result.output
  return result.issues.map(({ message, path = [] }) => [...path.map(({ key }) => key), message].join(': '))
}

describe('the domains of emails', () => {
  it.each([
    [null, null],
    [
      [' Example.COM ', 'bücher.example', 'example.com'],
      ['example.com', 'xn--bcher-kva.example'],
    ],
    ['example.com', ['must be a list']],
    [[], ['should have at least 1 item(s)']],
    [Array(101).fill('example.com'), ['should have at most 100 item(s)']],
    [
      [
        'example.com',
        'localhost',
        7,
        'a@example.com',
        '192.0.2.1',
        '\ud800.example.com',
        'example.com/b',
        'ex%61mple.com',
      ],
      [1, 2, 3, 4, 5, 6, 7].map((i) => `${i}: is not a domain name`),
    ],
  ])('%j are read as %j', (input, expected) => {
    expect(read(input)).toEqual(expected)
  })

  it.each([
    ['ada@example.com', ['example.net', 'example.com'], true],
    ['ada@EXAMPLE.com', ['example.com'], true],
    ['ada@sub.example.com', ['example.com'], false],
    ['ada@notexample.com', ['example.com'], false],
    ['example.com@example.net', ['example.com'], false],
    [null, ['example.com'], false],
    ['ada@example.com', null, true],
    [null, null, true],
  ])('%s in %j: %s', (email, domains, expected) => {
    expect(isInDomains(email, domains)).toBe(expected)
  })
})
