import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDayRanges } from '#shared/domain/policies/conditions/current-utc-datetime.ts'

const two = (number: number) => String(number).padStart(2, '0')
const time = fc.record({ h: fc.nat(23), m: fc.nat(59), s: fc.nat(59) })
type Time = { h: number; m: number; s: number }
const secondsOf = ({ h, m, s }: Time) => h * 3600 + m * 60 + s
const forms = [
  ({ h, m, s }: Time) => `${h}:${m}:${s}`,
  ({ h, m, s }: Time) => `${two(h)}:${two(m)}:${two(s)}`,
  ({ h, m, s }: Time) => `${two(h)}:${two(m)}:${two(s)}.999`,
]
const form = fc.constantFrom(...forms)
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const day = fc.constantFrom(...'MTWRFSU')

it('accepts every zone of the IANA database, and every form of a time', () => {
  fc.assert(
    fc.property(day, zone, time, time, form, form, (letter, name, a, b, left, right) => {
      const [start, end] = secondsOf(a) <= secondsOf(b) ? [a, b] : [b, a]
      expect(parseDayRanges(`${letter}/${left(start)}-${right(end)}/${name}`)).toEqual({
        day: 'UMTWRFS'.indexOf(letter),
        ranges: [{ start: secondsOf(start), end: secondsOf(end) }],
        zone: name,
      })
    }),
  )
})

it('refuses a range whose end is before its start', () => {
  fc.assert(
    fc.property(day, time, time, (letter, a, b) => {
      fc.pre(secondsOf(a) > secondsOf(b))
      expect(parseDayRanges(`${letter}/${forms[1]?.(a)}-${forms[1]?.(b)}/UTC`)).toEqual({
        message: 'start of the time range must not be after its end',
      })
    }),
  )
})

it('accepts only zones that Intl knows', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), zone, fc.stringMatching(/^[A-Z][a-z]{2,5}\/[A-Z][a-z]{2,6}$/)), (name) => {
      const result = parseDayRanges(`M/true/${name}`)
      const known = () => {
        try {
          return Boolean(new Intl.DateTimeFormat('en', { timeZone: name.trim() }))
        } catch {
          return false
        }
      }
      if ('zone' in result) expect(known()).toBe(true)
      else if (/^[A-Za-z]/.test(name.trim())) expect(known()).toBe(false)
    }),
  )
})

it('returns ranges within a day or a message for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[MTWRFSU]\/[0-9:,.\- ]{0,20}\/UTC$/)), (text) => {
      const result = parseDayRanges(text)
      if ('message' in result) {
        expect(result.message).not.toBe('')
        return
      }
      for (const { start, end } of result.ranges) {
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThan(86_400)
        expect(start).toBeLessThanOrEqual(end)
      }
    }),
  )
})
