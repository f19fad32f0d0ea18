import { expect, it } from 'vitest'
import { invalid } from '#shared/core/errors.ts'
import { faultsAt } from '#shared/core/faults.ts'
import { refuseLargeSet } from '#shared/domain/member-sets/change-members.ts'
import type { MemberSet } from '#shared/domain/member-sets/set-change.ts'
import { tooManyKeys } from '#shared/values/field.ts'
import { excerpt, isLonger } from '#shared/values/text.ts'

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))

it.each(['x', 'é', '💥'])('counts characters instead of code units: %s', (character) => {
  expect([9, 10, 11, 20, 21].map((length) => isLonger(character.repeat(length), 10))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
})

it.each(['x', '💥'])('shortens text to 255 characters with an ellipsis: %s', (character) => {
  expect(excerpt(character.repeat(255))).toBe(character.repeat(255))
  expect(excerpt(character.repeat(256))).toBe(`${character.repeat(254)}…`)
  expect(excerpt(character.repeat(100_000))).toBe(`${character.repeat(254)}…`)
})

it('allows a thousand keys', () => {
  expect([tooManyKeys(keys(1_000)), tooManyKeys(keys(1_001))]).toEqual([null, 'should have at most 1000 key(s)'])
})

it('returns at most a hundred messages of a request', () => {
  const messages = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)
  const sent = { a: messages(60), b: messages(60), c: ['is invalid'] }
  const faults = Object.entries(sent).flatMap(([field, found]) => faultsAt([field], found))
  const { errors } = invalid(faults).members
  expect(errors).toEqual({ a: messages(60), b: messages(40) })
})

it('allows 100,000 members in a set', () => {
  const set = { envelope: 'memberships' } as MemberSet
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => String(from + i))
  const grow = (joining: number, leaving: number, members: number) => () =>
    refuseLargeSet(set, { joining: ids(joining, members), leaving: ids(leaving) }, ids(members))
  expect(grow(1, 0, 99_999)).not.toThrow()
  expect(grow(2, 1, 99_999)).not.toThrow()
  expect(grow(0, 1, 100_002)).not.toThrow()
  expect(grow(1, 0, 100_000)).toThrow(
    expect.objectContaining({ members: { errors: { memberships: ['should have at most 100000 item(s)'] } } }),
  )
  // Accepts a member that is listed, but whose row is added again.
  expect(() => refuseLargeSet(set, { joining: ['1'], leaving: [] }, ids(100_000))).not.toThrow()
})
