import { fieldsOf } from '#shared/core/json/is-object.ts'
import { type Alarm, type AlarmAction, CloudWatch, CloudWatchFault } from './cloud-watch.ts'
import { Refusal } from './refusal.ts'
import { Skipped } from './report.ts'
import type { Run } from './run.ts'
import { until } from './until.ts'

/** CloudWatch notes an action within seconds. */
const actionSeconds = 60

const reason = 'Tested by npm run smoke. Nothing is wrong.'

/** Finds the alarm, and checks that a change of its state runs an action. @throws Refusal */
export async function findAlarm(name: string): Promise<Alarm> {
  try {
    const alarm = await new CloudWatch().alarm(name)
    if (!alarm) throw new Refusal(`--alarm: there is no metric alarm ${name} in this account and region.`)
    if (!alarm.ActionsEnabled || !alarm.AlarmActions?.length)
      throw new Refusal(`--alarm: ${name} has no action, or its actions are disabled.`)
    if (alarm.StateValue === 'ALARM')
      throw new Refusal(`--alarm: ${name} is in ALARM already; an alarm acts only when its state changes.`)
    return alarm
  } catch (error) {
    if (error instanceof CloudWatchFault) throw new Refusal(`--alarm: ${error.message}`)
    throw error
  }
}

type Outcome = { arn: string; error: string | null }

/** Outcome of an action. The history has it as JSON for programs and as a sentence for people. */
function outcomeOf({ HistorySummary, HistoryData }: AlarmAction): Outcome {
  const { actionState, notificationResource, error } = fieldsOf(JSON.parse(HistoryData || '{}'))
  const [, state, arn = ''] = /^(Successfully executed|Failed to execute) action (\S+)/.exec(HistorySummary) ?? []
  const succeeded = actionState === undefined ? state === 'Successfully executed' : actionState === 'Succeeded'
  return {
    arn: typeof notificationResource === 'string' ? notificationResource : arn,
    error: succeeded ? null : typeof error === 'string' ? error : HistorySummary,
  }
}

/** Sets an alarm to ALARM, waits until its history has the outcome of each action, and sets it back. */
export async function testAlarm({ report, stop }: Pick<Run, 'report' | 'stop'>, alarm: Alarm | null): Promise<void> {
  await report.step('alarm', async () => {
    if (!alarm) throw new Skipped('no --alarm: CloudWatch is not reached by an address and a token')
    const { AlarmName: name, AlarmActions: actions = [], StateValue: before } = alarm
    const cloudWatch = new CloudWatch()
    // The clock of this machine may be ahead.
    const since = new Date(Date.now() - 600_000)
    const earlier = new Set((await cloudWatch.actionsSince(name, since)).map(({ Timestamp }) => Timestamp))
    await cloudWatch.setState(name, 'ALARM', reason)
    try {
      const missing = 'the history of the alarm did not have its actions'
      const outcomes = await until({ stop, seconds: actionSeconds, missing }, async () => {
        const items = await cloudWatch.actionsSince(name, since)
        const found = items.filter(({ Timestamp }) => !earlier.has(Timestamp)).map(outcomeOf)
        const all = actions.flatMap((action) => found.find(({ arn }) => arn === action) ?? [])
        return all.length === actions.length ? all : null
      })
      const failed = outcomes.find(({ error }) => error !== null)
      if (failed) throw new Error(`${failed.arn} was not notified: ${failed.error}`)
    } finally {
      await cloudWatch.setState(name, before, reason)
    }
    return [`${name} notified ${actions.join(', ')}, and is ${before} again`, undefined]
  })
}
