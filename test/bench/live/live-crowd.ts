import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { connectionsOf } from '#shared/live/connection.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'
import { LiveCrowd } from '#test/support/access/live-crowd.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'
import { plantSessions } from '#test/support/table/plant-sessions.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { processTimes, usedBetween } from '../measure/process-times.ts'

const longestMs = 180_000

/** Resident memory of this process in megabytes. The process contains both ends of each connection. */
const megabytes = (): number => process.memoryUsage().rss / 1e6

/**
 * Connects `size` example clients at once to a local live channel in this process. Refused clients retry. Then notifies all clients of a
 * change, and disconnects them.
 */
export async function liveCrowd(size: number): Promise<string> {
  const world = await newAccessWorld()
  const sessions = await plantSessions(world, size)
  const channel = await openChannel()
  const crowd = new LiveCrowd()
  try {
    const [memory, cpu] = [megabytes(), await processTimes(process.pid)]
    crowd.connect(channel.url, sessions)
    const opened = await crowd.untilOpened(size, longestMs)
    const used = usedBetween(cpu, await processTimes(process.pid))
    const { p50, p99, max } = percentilesOf(crowd.opened)
    const stored = (await connectionsOf(world.account.id, 'clients')).length
    const each = [...used].map(([program, time]) => `${program} ${(time / opened).toFixed(1)} ms`).join(', ')
    const kilobytes = ((megabytes() - memory) * 1_000) / opened
    const refused = crowd.closed

    const from = await followUpFrom(world.account.id)
    crowd.received.length = 0
    const body = { policy: { is_disabled: true } }
    await world.account.call(updatePolicy, { method: 'PATCH', params: { id: world.policy.id }, body })
    const begin = performance.now()
    await followUpFrom(world.account.id, from)
    const notifyingMs = performance.now() - begin
    const notified = crowd.received.filter(({ type }) => type === 'resources').length
    return [
      `of ${size} clients that connect at once, ${opened} are connected and ${stored} stored; ${refused} handshakes were refused first`,
      `half of them after ${s(p50)} s, 99 of 100 after ${s(p99)} s, the last after ${s(max)} s: ${((opened * 1_000) / max).toFixed(0)} a second`,
      `each takes ${each} of a processor and ${kilobytes.toFixed(0)} KB, both ends together`,
      `${notified} of them were notified of a change in ${s(notifyingMs)} s`,
    ]
      .map((line) => `  ${line}\n`)
      .join('')
  } finally {
    crowd.close()
    await channel.stop()
  }
}

const s = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1)
