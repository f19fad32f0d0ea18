import { setTimeout as sleep } from 'node:timers/promises'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import type { DirectoryGroup, DirectoryMember, DirectoryUser } from '#shared/sync/directory-adapter.ts'
import { adapters } from '#shared/sync/runs/adapters.ts'
import { workOnRun } from '#shared/sync/runs/work-on-run.ts'
import { measure } from '#test/support/consumed-capacity.ts'
import { memoryAdapter, memoryDirectory, memoryGroup, memoryUser } from '#test/support/memory-directory.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync-runs.ts'
import { prices } from './prices.ts'

type Size = { users: number; groups: number; memberships: number }

/** A company of a size: everybody in as many groups as it takes. */
function company({ users, groups, memberships }: Size) {
  const people: DirectoryUser[] = Array.from({ length: users }, (_, i) => memoryUser(`user-${i}`))
  const teams: DirectoryGroup[] = Array.from({ length: groups }, (_, i) => memoryGroup(`group-${i}`))
  const members = new Map<string, DirectoryMember[]>(teams.map(({ idp_id }) => [idp_id, []]))
  const each = Math.min(groups, Math.round(memberships / users))
  for (let user = 0; user < users; user++) {
    for (let i = 0; i < each; i++) members.get(`group-${(user * 7 + i) % groups}`)?.push({ user: `user-${user}` })
  }
  return memoryDirectory({ users: people, groups: teams, members })
}

type Line = { name: string; seconds: number; cpu: number; reads: number; writes: number; commits: string }

async function timed(name: string, world: SyncWorld): Promise<Line> {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const { reads, writes } = await measure(async () => {
    await world.begin()
    await workOnRun(world.synced, world.source as never, Date.now() + 6 * 3_600_000)
  })
  const run = await world.last()
  if (run.outcome !== 'applied') throw new Error(`The run was ${run.outcome}: ${run.error}`)
  const { user, system } = process.cpuUsage(cpu)
  const changed = Object.values(run.applied).map((counts) => counts.insert + counts.update + counts.delete)
  return {
    name,
    seconds: (performance.now() - started) / 1_000,
    cpu: (user + system) / 1e6,
    reads,
    writes,
    commits: changed.join(' / '),
  }
}

/** Times of an administrator's changes, one after the other, while something goes on; the 99th of a hundred. */
async function administrators(
  world: SyncWorld,
  during: { over: boolean },
  { least, pauseMs }: { least: number; pauseMs: number },
): Promise<number> {
  const times: number[] = []
  while (!during.over || times.length < least) {
    const started = performance.now()
    const group = { name: `Group ${times.length} ${Math.random()}` }
    const { status } = await world.account.call(createGroup, { method: 'POST', body: { group } })
    if (status !== 201) throw new Error(`An administrator heard ${status}.`)
    times.push(performance.now() - started)
    await sleep(pauseMs)
  }
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)] ?? 0
}

const thousands = (value: number): string => Math.round(value).toLocaleString('en')

/** What runs of a directory of this size take, and what a month of them costs. */
export async function syncText(size: Size): Promise<string> {
  const world = await newSyncWorld()
  const directory = company(size)
  adapters.directory = async () => memoryAdapter(directory, 500)
  const alone = await administrators(world, { over: true }, { least: 60, pauseMs: 50 })
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 200)
  const during = { over: false }
  const [first, beside] = await Promise.all([
    timed('first load', world).finally(() => {
      during.over = true
    }),
    administrators(world, during, { least: 60, pauseMs: 700 }),
  ])
  const unchanged = await timed('nothing changed', world)
  for (let i = 0; i < size.users; i += 100) {
    const user = directory.users[i] as DirectoryUser
    directory.users[i] = { ...user, nickname: 'changed' }
  }
  const hundredth = await timed('1 % of the people changed', world)
  clearInterval(watching)
  const month = 360
  const usd =
    month * (unchanged.reads * prices.readUnit + unchanged.writes * prices.writeUnit) +
    month * unchanged.cpu * 1.769 * prices.lambdaGbSecond
  const lines = [first, unchanged, hundredth].map(
    ({ name, seconds, cpu, reads, writes, commits }) =>
      `  ${name.padEnd(26)} ${seconds.toFixed(1).padStart(7)} s ${cpu.toFixed(1).padStart(7)} s CPU ${thousands(reads).padStart(10)} reads ${thousands(writes).padStart(10)} writes   ${commits}`,
  )
  return [
    `a directory of ${thousands(size.users)} people, ${thousands(size.groups)} groups and ${thousands(size.memberships)} memberships:`,
    ...lines,
    `  memory at most ${thousands(most / 1e6)} MB, with the bench and the company in it`,
    `  an administrator's change, 99th of a hundred: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside the first load`,
    `  a month of two-hourly runs in which nothing changes: ${usd.toFixed(2)} USD`,
    '',
  ].join('\n')
}
