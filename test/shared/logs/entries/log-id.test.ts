import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareIds,
  idFrom,
  idUntil,
  lastLogMicros,
  logId,
  logStreams,
  parseLogId,
  positionTail,
} from '#shared/logs/entries/log-id.ts'

const micros = fc.integer({ min: 0, max: lastLogMicros })
const stream = fc.constantFrom(...logStreams)

describe('log ids (L4)', () => {
  it('has 4 bits of stream, 52 bits of time and 40 bits of tail', () => {
    expect(logId('flow', 1, '00000000ff')).toBe('f000000000000100000000ff')
    expect(logId('change', lastLogMicros, positionTail(10))).toBe('cfffffffffffff000000000a')
  })

  it('rejects a time outside of 52 bits', () => {
    for (const time of [-1, lastLogMicros + 1, 0.5, Number.NaN]) expect(() => logId('flow', time)).toThrow(RangeError)
  })

  it('parses to its parts', async () => {
    await fc.assert(
      fc.property(stream, micros, (s, at) => {
        expect(parseLogId(logId(s, at))).toEqual({ stream: s, micros: at })
      }),
    )
  })

  it('does not parse other text', () => {
    for (const text of ['', 'b00000000000010000000000', 'f0', 'F00000000000010000000000', 'f0000000000001000000000g']) {
      expect(parseLogId(text)).toBeNull()
    }
  })

  it('sorts by time; within a stream also as text', async () => {
    await fc.assert(
      fc.property(stream, stream, micros, micros, (s, t, a, b) => {
        const order = Math.sign(compareIds(logId(s, a), logId(t, b)))
        if (a !== b) expect(order).toBe(Math.sign(a - b))
        if (s === t) expect(order).toBe(logId(s, a) < logId(t, b) && a !== b ? -1 : order)
        expect(idFrom(s, a) <= logId(s, a) && logId(s, a) <= idUntil(s, a)).toBe(true)
      }),
    )
  })
})
