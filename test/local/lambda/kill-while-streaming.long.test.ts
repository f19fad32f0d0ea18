import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { seedOf } from '#test/support/run/seeds.ts'
import { type Flow, Ledger, openReporters, readLog, report } from '#test/support/service/reporters.ts'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

const kills = 3
const random = new SeededRandom(seedOf('PROPERTY_SEED'))
/** Waits for a random time, so that the kill can interrupt any operation. */
const randomMoment = () => sleep(random.int(300, 1_200))

/** Kills the table's engine, which makes the running service exit. */
async function killTable(): Promise<void> {
  process.kill(JSON.parse(readFileSync(join(service.dataDir, 'dynamodb.pid'), 'utf8')).pid, 'SIGKILL')
  await service.exited()
}

it('stores every acknowledged flow and change exactly once, regardless of kills', async () => {
  const { accountId, call, reporters } = await openReporters(service, 2)
  const ledger = new Ledger()
  let over = false
  const isOver = () => over

  const streams = reporters.map(async (reporter) => {
    let before: Flow[] = []
    while (!over) {
      const { opened, reports } = ledger.batch(10, before)
      if (await report(call, reporter, reports, isOver)) ledger.acknowledge(reporter, opened, before)
      before = opened
      await sleep(30)
    }
  })
  const created: string[] = []
  const administrator = (async () => {
    for (let i = 0; !over; i++) {
      const reply = await call('POST', '/groups', { group: { name: `Group ${i}` } }).catch(() => null)
      if (reply?.status === 201) created.push(reply.body.data.id)
      else await sleep(20)
    }
  })()

  for (let kill = 0; kill < kills; kill++) {
    const [flows, groups] = [ledger.flows.size, created.length]
    await vi.waitFor(() => expect(ledger.flows.size > flows && created.length > groups).toBe(true), 60_000)
    await randomMoment()
    await (kill === 1 ? killTable() : service.kill9())
    await service.restart()
  }
  over = true
  await Promise.all([...streams, administrator])

  const judged = async () => ledger.judge(await readLog(call, 'type=flow'))
  await vi.waitFor(async () => expect(await judged()).toEqual({ lost: 0, duplicated: 0, wrong: 0 }), {
    timeout: 90_000,
    interval: 500,
  })
  await vi.waitFor(
    async () => {
      const logged = (await readLog(call, 'type=change')).filter((entry) => entry.object === 'groups')
      const ids = logged.map((entry) => entry.after.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(created.filter((id) => !ids.includes(id))).toEqual([])
    },
    { timeout: 60_000, interval: 500 },
  )
  const event = JSON.stringify({ account_id: accountId, end: new Date().toISOString() })
  const verified = await runLocal('verify', [event], { DATA_DIR: service.dataDir })
  expect([verified.code, JSON.parse(verified.stdout).data.damages]).toEqual([0, []])
})
