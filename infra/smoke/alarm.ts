import {
  type AlarmHistoryItem,
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  SetAlarmStateCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { SkippedStep, SmokeFailure, until } from './report.ts'
import type { SmokeRun } from './run.ts'

/** Maximum wait for CloudWatch to record an action, which usually takes a few seconds. */
const actionSeconds = 60

const reason = 'Test by npm run smoke. No action is required.'

export type Alarm = { name: string; state: StateValue; actions: string[] }

/**
 * Finds the alarm, and checks that a state change triggers an action.
 * @throws SmokeFailure if the alarm cannot be tested
 */
export async function findAlarm(name: string): Promise<Alarm> {
  const { MetricAlarms } = await new CloudWatchClient()
    .send(new DescribeAlarmsCommand({ AlarmNames: [name] }))
    .catch((error: Error) => {
      throw new SmokeFailure(`--alarm: CloudWatch cannot be queried: ${error.name}: ${error.message}`)
    })
  const alarm = MetricAlarms?.[0]
  if (!alarm?.StateValue)
    throw new SmokeFailure(`--alarm: there is no metric alarm ${name} in this account and region.`)
  if (!alarm.ActionsEnabled || !alarm.AlarmActions?.length)
    throw new SmokeFailure(`--alarm: ${name} has no action, or its actions are disabled.`)
  if (alarm.StateValue === 'ALARM')
    throw new SmokeFailure(`--alarm: ${name} is already in ALARM, and an alarm acts only when its state changes.`)
  return { name, state: alarm.StateValue, actions: alarm.AlarmActions }
}

/** Reads an action's outcome from the JSON in the alarm's history, or else from its summary sentence. */
function readOutcome({ HistorySummary = '', HistoryData }: AlarmHistoryItem) {
  const { actionState, notificationResource, error } = fieldsOf(JSON.parse(HistoryData || '{}'))
  const [, state, arn = ''] = /^(Successfully executed|Failed to execute) action (\S+)/.exec(HistorySummary) ?? []
  const hasSucceeded = actionState === undefined ? state === 'Successfully executed' : actionState === 'Succeeded'
  return {
    arn: typeof notificationResource === 'string' ? notificationResource : arn,
    error: hasSucceeded ? null : typeof error === 'string' ? error : HistorySummary,
  }
}

export async function testAlarm(
  { report, stop }: Pick<SmokeRun, 'report' | 'stop'>,
  alarm: Alarm | null,
): Promise<void> {
  await report.step('alarm', async () => {
    if (!alarm) throw new SkippedStep('no --alarm given')
    const { name, actions, state } = alarm
    const client = new CloudWatchClient()
    const setState = (StateValue: StateValue) =>
      client.send(new SetAlarmStateCommand({ AlarmName: name, StateValue, StateReason: reason }))
    // Starts the query ten minutes ago, because the local clock may be ahead of CloudWatch's.
    const query = { AlarmName: name, HistoryItemType: 'Action', StartDate: new Date(Date.now() - 600_000) } as const
    const history = async () => (await client.send(new DescribeAlarmHistoryCommand(query))).AlarmHistoryItems ?? []
    const earlier = new Set((await history()).map(({ Timestamp }) => Timestamp?.getTime()))
    await setState('ALARM')
    try {
      const missing = 'the history of the alarm did not show its actions'
      const outcomes = await until({ stop, seconds: actionSeconds, missing }, async () => {
        const items = (await history()).filter(({ Timestamp }) => !earlier.has(Timestamp?.getTime()))
        const found = items.map(readOutcome)
        const all = actions.flatMap((action) => found.find(({ arn }) => arn === action) ?? [])
        return all.length === actions.length ? all : null
      })
      const failure = outcomes.find(({ error }) => error !== null)
      if (failure) throw new Error(`${failure.arn} was not notified: ${failure.error}`)
    } finally {
      await setState(state)
    }
    return [`${name} notified ${actions.join(', ')}, and is ${state} again`, undefined]
  })
}
