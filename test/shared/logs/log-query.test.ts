import { describe, expect, it } from 'vitest'
import { readLogQuery } from '#shared/logs/log-query.ts'

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
