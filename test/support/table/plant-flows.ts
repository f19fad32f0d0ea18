import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { HourFiles } from '#shared/archive/hour-files.ts'
import { clock, dayMicros, dayStart, hourMicros, hourStart } from '#shared/core/clock.ts'
import { archiveStateKey } from '#shared/logs/blocks/archive-view.ts'
import { putOpenVersion } from '#shared/logs/blocks/open-set.ts'
import { mergeDay, mergedUntil } from '#shared/logs/counters/count-items.ts'
import type { BufferedFlow } from '#shared/logs/flows/stored-flow.ts'
import { table, tableName } from '#shared/table/table.ts'

/**
 * Stores flows as the flush does after the last of them: closed flows in the file of the hour in which they ended, and open flows in the
 * open set.
 */
export async function plantFlows(account: string, flows: BufferedFlow[]): Promise<void> {
  const byHour = (hourOf: (flow: BufferedFlow) => number, some: BufferedFlow[]) =>
    Map.groupBy(
      some.toSorted((a, b) => (a.sk < b.sk ? 1 : -1)),
      (flow) => hourStart(hourOf(flow)),
    )
  const closed = flows.filter(({ report }) => report.closing)
  for (const [hour, ended] of byHour(({ storedAt }) => storedAt, closed)) {
    const files = new HourFiles({ account, hour, deadline: Number.POSITIVE_INFINITY, erasures: new Map() }, [])
    for (const flow of ended) await files.add(flow)
    await files.finish()
  }
  const oldest = flows.reduce((min, { storedAt, report }) => Math.min(min, storedAt, report.flow_start), Infinity)
  const latest = flows.reduce((max, { storedAt }) => Math.max(max, hourStart(storedAt)), 0)
  for (let day = dayStart(oldest); day < mergedUntil(latest + hourMicros); day += dayMicros)
    await mergeDay(account, day)
  const open = flows.filter(({ report }) => !report.closing)
  for (const [hour, started] of byHour(({ report }) => report.flow_start, open))
    await putOpenVersion(account, hour, latest, started.reverse())
  const state = {
    ...archiveStateKey(account),
    kind: 'archive',
    watermark: latest + hourMicros,
    written_at: clock.now(),
  }
  await table().send(new PutCommand({ TableName: tableName(), Item: state }))
}
