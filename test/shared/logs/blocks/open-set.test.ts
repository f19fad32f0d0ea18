import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock, hourMicros, hourStart } from '#shared/core/clock.ts'
import { OpenSetSource, putOpenVersion } from '#shared/logs/blocks/open-set.ts'
import { compareIds, idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { mergeFlows, type StoredFlow } from '#shared/logs/flows/merge-flows.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { flowReport } from '#test/support/logs/flow-account.ts'
import { newFlowGrant } from '#test/support/logs/flows.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

const first = hourStart(clock.now()) - 40 * hourMicros
const at = (hour: number) => first + hour * hourMicros

let account: string
let claims: Awaited<ReturnType<Awaited<ReturnType<typeof newFlowGrant>>['claims']>>
beforeAll(async () => {
  account = randomUUID()
  claims = (await newFlowGrant(account)).claims()
})

/** Creates open flows that started in an hour, in the order of their log ids. Long domains make their version exceed one part. */
function openFlows(hour: number, count: number, domainBytes = 0): BufferedFlow[] {
  const flows = Array.from({ length: count }, (_, i): BufferedFlow => {
    // Starts two flows at a time, so that parts can divide flows with equal starts.
    const report = flowReport(at(hour) + (i >> 1) * 1_000, {
      inner_src_port: i,
      domain: randomBytes(domainBytes).toString('hex'),
    })
    return { sk: flowLogId(claims, report), at: report.flow_start, ids: claims, report, storedAt: 0, rank: '' }
  })
  return flows.sort((a, b) => compareIds(a.sk, b.sk))
}

type Walk = { from?: number; to?: number; ascending?: boolean; watermark?: number; count?: number }

async function read({ from = 0, to = lastLogMicros, ascending = false, watermark = at(40), count = 1e9 }: Walk) {
  const view = { account, watermark, slots: [], relaxed: false }
  const range = { first: idFrom('flow', from), last: idUntil('flow', to) }
  const flows: StoredFlow[] = []
  for await (const flow of mergeFlows([new OpenSetSource(view, { range, ascending })], ascending)) {
    flows.push(flow)
    if (flows.length === count) break
  }
  return flows.map(({ sk }) => sk)
}

describe('the open set', () => {
  /** Flows of each version by start hour and flushed hour. */
  const versions = new Map<number, Map<number, string[]>>()

  beforeAll(async () => {
    const put = async (hour: number, flushed: number, flows: BufferedFlow[]) => {
      await putOpenVersion(account, at(hour), at(flushed), flows)
      const own = versions.get(hour) ?? new Map<number, string[]>()
      versions.set(
        hour,
        own.set(
          flushed,
          flows.map(({ sk }) => sk),
        ),
      )
    }
    await put(0, 0, openFlows(0, 3))
    await put(0, 9, [])
    await put(1, 1, openFlows(1, 1_500, 100))
    await put(1, 7, openFlows(1, 700, 100))
    await put(2, 2, openFlows(2, 1))
    for (let flushed = 3; flushed < 20; flushed++) await put(3, flushed, openFlows(3, 20 - flushed))
    await put(5, 12, [])
    await put(5, 13, openFlows(5, 2))
    await put(8, 30, openFlows(8, 1_200, 100))
  })

  /** Returns the ids of the newest version of each hour before the watermark, in ascending order. */
  const expected = (watermark: number) =>
    [...versions.values()]
      .flatMap((own) => {
        const newest = Math.max(...[...own.keys()].filter((flushed) => at(flushed) < watermark))
        return own.get(newest) ?? []
      })
      .sort()

  it('has the flows of the newest version before the watermark, in any number of parts', async () => {
    for (let hour = 0; hour <= 31; hour++)
      for (const ascending of [true, false]) {
        const ids = expected(at(hour))
        expect(await read({ watermark: at(hour), ascending })).toEqual(ascending ? ids : ids.toReversed())
      }
  })

  it('returns the flows of any range, in both directions', async () => {
    const ids = expected(at(40))
    const instants = ids.map((id) => Number.parseInt(id.slice(1, 14), 16))
    const instant = fc.oneof(
      fc.nat({ max: ids.length - 1 }).map((i) => instants[i] ?? 0),
      fc.integer({ min: at(-1), max: at(12) }),
    )
    await fc.assert(
      fc.asyncProperty(instant, instant, fc.boolean(), async (a, b, ascending) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const some = ids.filter((id) => id >= idFrom('flow', from) && id <= idUntil('flow', to))
        expect(await read({ from, to, ascending })).toEqual(ascending ? some : some.toReversed())
      }),
      { numRuns: 60 },
    )
  })

  it('is read in few requests, and only as far as needed', async () => {
    let commands = recordCommands()
    expect(await read({ count: 1 })).toEqual(expected(at(40)).slice(-1))
    expect(commands.length).toBeLessThanOrEqual(3)
    commands = recordCommands()
    await read({})
    expect(commands.length).toBeLessThanOrEqual(6)
  })
})
