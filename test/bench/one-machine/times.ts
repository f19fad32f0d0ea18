import { setTimeout as sleep } from 'node:timers/promises'
import { percentilesOf } from '../measure/percentiles.ts'
import { hasProcesses, processTree } from '../measure/process-times.ts'
import type { NpmService } from './npm-service.ts'
import { atOnce, inRounds, type Lines, mergeLines, type Pair, type Sizes } from './rounds.ts'
import {
  concurrently,
  createActors,
  createGroup,
  createPolicies,
  deleteGroups,
  putMembers,
  registerClients,
  requestsOfMix,
  sendMix,
  walk,
} from './workload.ts'

/** Time after which the consumers of a change are idle again. */
const settleMs = 500

const elapsed = async (work: () => Promise<unknown>): Promise<number> => (await concurrently(1, 1, work)).times[0] ?? 0

/** Sum of a figure of all processes of the service. */
const sumOf = async ({ pid }: NpmService, figure: 'milliseconds' | 'megabytes'): Promise<number> =>
  (await processTree(pid)).reduce((sum, process) => sum + process[figure], 0)

/** Returns the CPU milliseconds of all processes of the service during `work`. */
async function cpuDuring(service: NpmService, work: () => Promise<unknown>): Promise<number> {
  const before = await sumOf(service, 'milliseconds')
  await work()
  return (await sumOf(service, 'milliseconds')) - before
}

/** Omits lines that need `/proc` on a system without it. */
const ofProcesses = (lines: Lines): Lines => (hasProcesses ? lines : {})

/** Measures requests to an account with ten groups. */
async function measureRequests(service: NpmService, groups: string[], { requests }: Sizes): Promise<Lines> {
  const { call } = service
  const gets = await concurrently(1, requests, (i) => call('GET', `/groups/${groups[i % groups.length]}`))
  const creates = await concurrently(1, requests, () => createGroup(call))
  await deleteGroups(call, creates.results)
  await sleep(settleMs)
  const used = await cpuDuring(service, async () => {
    await concurrently(1, requests, () => sendMix(call))
    await sleep(settleMs)
  })
  return {
    ...ofProcesses({ 'CPU of 1,000 mixed requests, s': used / requests / requestsOfMix }),
    'get one group, p50 ms': percentilesOf(gets.times).p50,
    'create a group, p50 ms': percentilesOf(creates.times).p50,
  }
}

async function measureWriters({ call }: NpmService, { requests }: Sizes): Promise<Lines> {
  const single = await elapsed(() => concurrently(1, requests, () => createGroup(call)))
  const created = 3 * requests
  const start = performance.now()
  const { times } = await concurrently(20, created, () => createGroup(call))
  const ms = performance.now() - start
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0
  return {
    '1 writer, groups per second': (1_000 * requests) / single,
    '20 writers, groups per second': (1_000 * created) / ms,
    '20 writers, p95 ms': p95,
  }
}

/** Creates the listed objects. Returns the ids of the actors. */
async function plant({ call }: NpmService, { rounds, requests, listed }: Sizes): Promise<string[]> {
  await concurrently(10, Math.max(0, listed - 10 - 4 * rounds * requests), () => createGroup(call))
  const actors = await createActors(call, listed)
  await createPolicies(call, await walk(call, '/groups', listed))
  await registerClients(call, actors[0] ?? '', listed)
  await sleep(settleMs)
  return actors
}

const lists = {
  groups: '/groups',
  policies: '/policies',
  clients: '/clients',
  'change log entries': '/logs?type=change',
}

/** Measures one list after the other, so that both versions read a list within seconds. */
async function measureLists(services: Pair<NpmService>, { rounds, listed }: Sizes): Promise<Pair<Lines>[]> {
  const measured = []
  for (const [name, path] of Object.entries(lists)) {
    const read = ({ call }: NpmService) => elapsed(() => walk(call, path, listed))
    await atOnce(services, read)
    const line = `list of ${listed} ${name}, ms`
    measured.push(
      await inRounds(rounds, services, async (service): Promise<Lines> => ({ [line]: await read(service) })),
    )
  }
  return measured
}

/** Measures both versions' services alternately. Returns the lines of each version and the actors that its account has then. */
export async function measureTimes(services: Pair<NpmService>, sizes: Sizes) {
  const { rounds, idleSeconds, listed } = sizes
  const idle = await atOnce(services, async (service): Promise<Lines> => {
    const used = await cpuDuring(service, () => sleep(idleSeconds * 1_000))
    const memory = await sumOf(service, 'megabytes')
    return ofProcesses({ 'memory after the start, MB': memory, 'idle CPU per minute, ms': (used / idleSeconds) * 60 })
  })
  const groups = await atOnce(
    services,
    async ({ call }) => (await concurrently(1, 10, () => createGroup(call))).results,
  )
  const requests = await inRounds(rounds, services, (service, version) =>
    measureRequests(service, groups[version], sizes),
  )
  const writers = await inRounds(rounds, services, (service) => measureWriters(service, sizes))
  const actors = await atOnce(services, (service) => plant(service, sizes))
  const listLines = await measureLists(services, sizes)
  const members = await inRounds(Math.min(3, rounds), services, async ({ call }, version): Promise<Lines> => {
    const [group = ''] = groups[version]
    await putMembers(call, group, actors[version])
    const ms = await elapsed(async () => {
      await putMembers(call, group, [])
      await putMembers(call, group, actors[version])
    })
    return { [`members ${listed} → 0 → ${listed}, ms`]: ms }
  })
  return { lines: mergeLines(idle, requests, writers, ...listLines, members), groups, actors }
}
