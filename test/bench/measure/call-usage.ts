import type { DynamoDBRecord } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { readCommits, toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { holdLease } from './hold-lease.ts'
import { perRun, sum, type Usage, usageAndTrips, usageOf } from './usage.ts'

/** Operations that represent all others in the measurement. */
const calls = [
  'GET /resources',
  'GET /resources/{id}',
  'GET /logs',
  'POST /groups',
  'PATCH /groups/{id}',
  'DELETE /groups/{id}',
  'POST /client/authorizations',
  'PUT /gateway/sessions/{id}',
]

/** Shares of operations in the typical requests of pipelines and administrators: mostly reads, rarely changes. */
const usualMix: Record<string, number> = {
  'GET /resources': 0.45,
  'GET /resources/{id}': 0.45,
  'PATCH /groups/{id}': 0.1,
}

/** Usage of a call. `trips` is the number of sequential round trips to the table. */
export type CallUsage = { usage: Usage; trips: number }

/** Returns the usage without leases. Takes the units from the run with the fewest writes, because other runs may include a new lease. */
function withHeldLease(runs: Usage[]): Usage {
  const smallest = runs.reduce((a, b) => (b.writeUnits < a.writeUnits ? b : a))
  return { ...perRun(runs), writeUnits: smallest.writeUnits, readUnits: smallest.readUnits }
}

/** Measures calls in a process that holds units of the rate limit. Includes the stream consumers' work for the changes. */
export async function callUsages(runs = 8): Promise<Map<string, CallUsage>> {
  const usages = new Map<string, CallUsage>()
  for (const name of calls) {
    // Uses a new account for each call, so that no call depends on the data of a different call.
    let world = await sampleRequests()
    const prepare = async (of: string) => (await world.samples[of]?.()) ?? {}
    if (name === 'GET /resources') {
      for (let i = 0; i < 50; i++) await world.send('POST /resources', await prepare('POST /resources'))
    }
    const runUsages: Usage[] = []
    let fewest = Number.POSITIVE_INFINITY
    for (let run = -2; run < runs; run++) {
      // Creates a world for each grant, because each sample brings one more gateway online, which slows down the choice of a gateway.
      if (name === 'POST /client/authorizations') world = await sampleRequests()
      const { account, send } = world
      const request = await prepare(name)
      if (request.token) await holdLease(send, request.token)
      const before = (await readCommits(account.id)).length
      const { usage: requestUsage, trips } = await usageAndTrips(async () => {
        const { status, text } = await send(name, request)
        if (status > 201) throw new Error(`${name} answered ${text}`)
      })
      const Records = (await readCommits(account.id))
        .slice(before)
        .map((commit) => toStreamRecord(commit) as DynamoDBRecord)
      const consumers =
        Records.length > 0
          ? [await usageOf(() => writeChangeLog({ Records })), await usageOf(() => followUp({ Records }))]
          : []
      // Excludes the first runs, which include compilation.
      if (run < 0) continue
      fewest = Math.min(fewest, trips)
      const requests = { httpRequests: 1, lambdaRequests: 1 + consumers.length }
      runUsages.push(
        sum([requestUsage, 1], [requests, 1], ...consumers.map((usage) => [usage, 1] as [Partial<Usage>, number])),
      )
    }
    usages.set(name, { usage: withHeldLease(runUsages), trips: fewest })
  }
  const mixed = Object.entries(usualMix).map(([name, share]) => ({ share, ...usages.get(name) }))
  return usages.set('a typical mix: 45 % lists, 45 % single objects, 10 % changes', {
    usage: sum(...mixed.map(({ usage = {}, share }) => [usage, share] as [Usage, number])),
    trips: mixed.reduce((all, { trips = 0, share }) => all + trips * share, 0),
  })
}
