export type Schedule = { functionArn: string; seconds: number }

const units: Record<string, number> = { minute: 60, hour: 3_600, day: 86_400 }

/** The functions that a rule invokes by the clock. A rule of another kind is an error, never left out. */
export function readSchedule(
  id: string,
  properties: Record<string, unknown>,
  invoked: (arn: string) => string | undefined,
): Schedule[] {
  const { ScheduleExpression: expression, State = 'ENABLED', Targets = [] } = properties
  if (State !== 'ENABLED') return []
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(expression)) ?? []
  const unitSeconds = units[unit]
  if (unitSeconds === undefined)
    throw new Error(`The local runner does not support the schedule ${expression} of ${id}.`)
  const seconds = Number(count) * unitSeconds
  return (Targets as { Arn: string }[]).map(({ Arn }) => {
    const functionArn = invoked(Arn)
    if (!functionArn) throw new Error(`The schedule ${id} invokes no function.`)
    return { functionArn, seconds }
  })
}
