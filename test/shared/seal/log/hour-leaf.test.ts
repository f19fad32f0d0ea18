import { expect, it } from 'vitest'
import { hourMicros } from '#shared/core/clock.ts'
import { hourId, hourLeafText, hourStreams, readHourId } from '#shared/seal/log/sealed-log.ts'

it('derives ids of hours that sort like their leaves (S1.3)', () => {
  const hour = 494_000 * hourMicros
  const ids = [hour, hour + hourMicros].flatMap((at) => hourStreams.map((stream) => hourId(at + 5, stream)))
  expect(ids).toEqual([...new Set(ids)].sort())
  expect(ids.map((id) => id.length)).toEqual([24, 24, 24, 24])
  expect(ids.slice(0, 2).map(readHourId)).toEqual([
    { hour: '2026-05-10T08:00:00.000000Z', stream: 'api_request' },
    { hour: '2026-05-10T08:00:00.000000Z', stream: 'session' },
  ])
})

it('serializes an hour as the contract specifies', () => {
  const hour = { hour: '2026-05-10T08:00:00.000000Z', stream: 'session', size: 2, root: 'AA==' } as const
  expect(hourLeafText(hour)).toBe(
    '{"hour":"2026-05-10T08:00:00.000000Z","root":"AA==","size":2,"stream":"session","type":"hour"}',
  )
})
