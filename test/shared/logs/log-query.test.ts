import { describe, expect, it } from 'vitest'
import { loggedObjects } from '#shared/logs/entries/log-entry.ts'
import { readLogQuery } from '#shared/logs/log-query.ts'
import { loadEntities } from '#test/support/operations/entities.ts'

const uuid = '0190a000-0000-7000-8000-00000000000A'
const read = (query: string) => readLogQuery(new URLSearchParams(query), 1_772_000_000_000_000)

describe('filters of flows (R8.3)', () => {
  it.each([
    ['type=flow&resource_id=x&policy_id=x', 'resource_id must be a UUID.'],
    ['type=flow&policy_id=x&device_id=x', 'policy_id must be a UUID.'],
    ['type=flow&device_id=x&protocol=x', 'device_id must be a UUID.'],
    ['type=flow&protocol=TCP&port=x', 'protocol must be one of tcp, udp.'],
    ['type=flow&port=65536&open=x', 'port must be an integer from 0 to 65535.'],
    ['type=flow&port=4.5', 'port must be an integer from 0 to 65535.'],
    ['type=flow&open=yes&total_limit=x', 'open must be one of true, false.'],
    ['type=flow&open=true&open=true', 'open must be a single string.'],
    ['type=flow&port[]=1', 'port must be a single string.'],
    [`resource_id=${uuid}`, 'resource_id can only be used with type flow.'],
    [`type=session&policy_id=${uuid}&device_id=x`, 'policy_id can only be used with type flow.'],
    [`type=change&device_id=${uuid}`, 'device_id can only be used with type flow.'],
    ['protocol=udp', 'protocol can only be used with type flow.'],
    ['type=api_request&port=0&total_limit=x', 'port can only be used with type flow.'],
    ['open=false', 'open can only be used with type flow.'],
    [`type=flow&object_id=${uuid}&port=x`, 'object_id cannot be combined with type flow.'],
    ['type=flow&port=1&total_limit=x', 'total_limit must be an integer from 0 to 10000.'],
  ])('%s', (query, detail) => expect(() => read(query)).toThrow(expect.objectContaining({ detail })))

  it('are read, or are absent if they are empty', () => {
    const { flowFilters } = read(`type=flow&resource_id=${uuid}&port=0443&open=false&policy_id=&protocol=`)
    expect(flowFilters).toEqual({
      ...{ resource_id: uuid.toLowerCase(), policy_id: null, device_id: null },
      ...{ protocol: null, port: 443, open: false },
    })
    expect(read('type=flow&port=&open=').flowFilters).toBeUndefined()
  })
})

describe('filters of changes (K11.G7)', () => {
  const operations = 'operation must be one of insert, update, delete.'
  it.each([
    ['type=change&object=group&operation=x', expect.stringMatching(/^object must be one of accounts, .*, v0_.*s\.$/)],
    ['type=change&object=Groups&operation=x', expect.stringMatching(/^object must be one of /)],
    ['type=change&object=portal_sessions', expect.stringMatching(/^object must be one of /)],
    ['type=change&operation=INSERT&run_id=x', operations],
    ['type=change&operation=__proto__', operations],
    ['type=change&run_id=x&total_limit=x', 'run_id must be a UUID.'],
    [`type=change&run_id=${uuid}%00`, 'run_id must be a UUID.'],
    [`type=change&run_id=${uuid}&run_id=${uuid}`, 'run_id must be a single string.'],
    ['type=change&object[]=groups', 'object must be a single string.'],
    ['object=groups', 'object can only be used with type change.'],
    ['type=flow&port=1&object=groups&operation=x', 'object can only be used with type change.'],
    ['type=session&operation=delete', 'operation can only be used with type change.'],
    [`type=api_request&run_id=${uuid}&total_limit=x`, 'run_id can only be used with type change.'],
    [`type=change&resource_id=${uuid}&object=x`, 'resource_id can only be used with type flow.'],
    ['type=change&object=groups&total_limit=x', 'total_limit must be an integer from 0 to 10000.'],
  ])('%s', (query, detail) => expect(() => read(query)).toThrow(expect.objectContaining({ detail })))

  it('are read, or are absent if they are empty', () => {
    const { changeFilters } = read(`type=change&object=v0_users&operation=&run_id=${uuid}`)
    expect(changeFilters).toEqual({ object: 'v0_users', operation: null, run_id: uuid.toLowerCase() })
    expect(read('type=change&object=&operation=&run_id=').changeFilters).toBeUndefined()
    expect(read('object=&type=flow').changeFilters).toBeUndefined()
  })

  it('accept every kind of object whose changes are logged (L6.2)', async () => {
    const logged = [...(await loadEntities()).values()].filter(({ logged }) => logged).map(({ name }) => name)
    for (const object of logged) expect(read(`type=change&object=${object}`).changeFilters?.object).toBe(object)
    expect([...loggedObjects].sort()).toEqual(logged.sort())
  })
})
