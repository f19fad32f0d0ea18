import type { DynamoDBRecord } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { commitsOf, recordOf } from '#test/support/logs/commit-stream.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { holdLease } from './hold-lease.ts'
import { perRun, sum, type Usage, usageAndTrips, usageOf } from './usage.ts'

/** Calls that tell the costs of the others of their kind. */
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

/** What pipelines and administrators ask for: mostly lists and objects, seldom a change. */
const usualMix: Record<string, number> = {
  'GET /resources': 0.45,
  'GET /resources/{id}': 0.45,
  'PATCH /groups/{id}': 0.1,
}

/** `trips` is how often the call waits for the table before it is answered. */
export type CallUsage = { usage: Usage; trips: number }

/** Some runs take a new lease for their account; the one that writes least does not. */
function withHeldLease(runs: Usage[]): Usage {
  const least = runs.reduce((a, b) => (b.writeUnits < a.writeUnits ? b : a))
  return { ...perRun(runs), writeUnits: least.writeUnits, readUnits: least.readUnits }
}

/**
 * What a call costs while its process holds units of the rate limit, with what the consumers of the table's stream do about
 * its change.
 */
export async function callUsages(runs = 8): Promise<Map<string, CallUsage>> {
  const usages = new Map<string, CallUsage>()
  for (const name of calls) {
    // An account of its own for each, so that none is dearer for what another has left.
    let world = await sampleRequests()
    const prepare = async (of: string) => (await world.samples[of]?.()) ?? {}
    // A page of 50 is full.
    if (name === 'GET /resources') {
      for (let i = 0; i < 50; i++) await world.send('POST /resources', await prepare('POST /resources'))
    }
    const taken: Usage[] = []
    let fewest = Number.POSITIVE_INFINITY
    for (let run = -2; run < runs; run++) {
      // Each of its samples brings one more gateway online, among which an authorization chooses.
      if (name === 'POST /client/authorizations') world = await sampleRequests()
      const { account, send } = world
      const request = await prepare(name)
      if (request.token) await holdLease(send, request.token)
      const before = (await commitsOf(account.id)).length
      const { usage: own, trips } = await usageAndTrips(async () => {
        const { status, text } = await send(name, request)
        if (status > 201) throw new Error(`${name} answered ${text}`)
      })
      const Records = (await commitsOf(account.id)).slice(before).map((commit) => recordOf(commit) as DynamoDBRecord)
      const consumers =
        Records.length > 0
          ? [await usageOf(() => writeChangeLog({ Records })), await usageOf(() => followUp({ Records }))]
          : []
      // The first runs compile what the others run.
      if (run < 0) continue
      fewest = Math.min(fewest, trips)
      const requests = { httpRequests: 1, lambdaRequests: 1 + consumers.length }
      taken.push(sum([own, 1], [requests, 1], ...consumers.map((usage) => [usage, 1] as [Partial<Usage>, number])))
    }
    usages.set(name, { usage: withHeldLease(taken), trips: fewest })
  }
  const mixed = Object.entries(usualMix).map(([name, share]) => ({ share, ...usages.get(name) }))
  return usages.set('a usual mix: 45 % lists, 45 % objects, 10 % changes', {
    usage: sum(...mixed.map(({ usage = {}, share }) => [usage, share] as [Usage, number])),
    trips: mixed.reduce((all, { trips = 0, share }) => all + trips * share, 0),
  })
}
