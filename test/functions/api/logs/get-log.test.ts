import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { logId } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await newAccessWorld()
  await world.startSession()
  await writeChangeLogOf(world.account.id)
  const grant = await newFlowGrant(world.account.id)
  const { report } = checkFlowReport(openRecord()) as { report: FlowReport }
  await storeFlowLogs({ Records: [flowRecord(grant.claims(), clock.now(), report)] })
})

const get = (log_id: string, of = world.account) => of.call(getLog, { params: { log_id } })

describe('GET /logs/{log_id} (L3)', () => {
  it.each(['change', 'session', 'flow', 'api_request'])(
    'returns an entry of stream %s as the list does, with an id in either case',
    async (type) => {
      const query = { type, begin: '2026-01-01T00:00:00Z', limit: '1' }
      const [entry] = (await world.account.call(listLogs, { path: '/logs', query })).body.data
      expect(entry.type).toBe(type)
      for (const id of [entry.log_id, entry.log_id.toUpperCase()]) {
        const { status, body } = await get(id)
        expect([status, body]).toEqual([200, { data: entry }])
      }
      expect((await get(entry.log_id, await newAccount())).status).toBe(404)
    },
  )

  it('returns a change of any size, without its largest fields', async () => {
    const policy = { id: randomUUID(), description: 'Long', conditions: ['M/0-1'.repeat(600_000)] }
    const at = clock.now()
    const fields = { object: 'policies', operation: 'update', before: policy, after: policy, subject: null }
    const log_id = logId('change', at)
    plantIntoFile(logItems(world.account.id, 'change', log_id, at, fields))
    const cut = { ...policy, conditions: null }
    const { status, body } = await get(log_id)
    expect([status, body.data]).toMatchObject([200, { log_id, before: cut, after: cut, truncated: ['conditions'] }])
    const listed = await world.account.call(listLogs, { path: '/logs', query: { type: 'change', limit: '1' } })
    expect(listed.body.data).toEqual([body.data])
  })

  it('refuses an invalid log id', async () => {
    const outcome = async (id: string) => {
      const { status, body } = await get(id)
      return [status, body.code, body.detail]
    }
    const missing = [404, 'not_found', 'The requested resource was not found.']
    for (const stream of ['c', '5', 'f', 'a', 'b', '0'])
      expect(await outcome(`${stream}${'0'.repeat(23)}`)).toEqual(missing)
    expect(await outcome(randomUUID())).toEqual([
      400,
      'invalid_log_query',
      'log_id must be a 24-character hexadecimal string.',
    ])
    for (const id of ['c0', `c${'0'.repeat(24)}`, `g${'0'.repeat(23)}`])
      expect((await outcome(id))[1]).toBe('invalid_path_parameter')
  })
})
