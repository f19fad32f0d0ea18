import { expect, it, vi } from 'vitest'
import { startSchedules } from '#infra/local/run.ts'
import { readSchedule } from '#infra/template/mapping.ts'

const targets = [{ Arn: 'one:current', Id: 'a' }]
const invoked = (arn: string) => (arn === 'one:current' ? 'one' : undefined)

it('reads the interval and the target of a rule', () => {
  const read = (ScheduleExpression: string) => readSchedule('Rule', { ScheduleExpression, Targets: targets }, invoked)
  expect(read('rate(1 minute)')).toEqual([{ functionArn: 'one', seconds: 60 }])
  expect(read('rate(30 minutes)')).toEqual([{ functionArn: 'one', seconds: 1_800 }])
  const unknown = { ScheduleExpression: 'rate(1 day)', Targets: [{ Arn: 'two:current', Id: 'a' }] }
  expect(() => readSchedule('Rule', unknown, invoked)).toThrow('invokes no function')
  expect(() => read('cron(0 3 * * ? *)')).toThrow('does not support the schedule cron(0 3 * * ? *) of Rule')
  expect(
    readSchedule('Rule', { ScheduleExpression: 'rate(1 day)', State: 'DISABLED', Targets: targets }, invoked),
  ).toEqual([])
})

it('invokes by the clock, one run at a time, and continues after a failure', async () => {
  vi.useFakeTimers()
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const end = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const invoke = vi.fn(async () => end[invoke.mock.calls.length - 1]?.promise)
    const runtime = { invoke, label: () => 'expire', find: () => undefined }
    const schedules = startSchedules([{ functionArn: 'one', seconds: 60 }], runtime)
    await vi.advanceTimersByTimeAsync(180_000)
    expect(invoke).toHaveBeenCalledTimes(1)
    end[0]?.reject(new Error('broken'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(invoke).toHaveBeenCalledTimes(2)
    expect(stderr).toHaveBeenCalledWith('expire: broken\n')
    end[1]?.resolve()
    await schedules.stop()
    await vi.advanceTimersByTimeAsync(180_000)
    expect(invoke).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
    stderr.mockRestore()
  }
})
