import { randomUUID } from 'node:crypto'
import { publicKey } from '#test/support/access/public-key.ts'
import type { Call } from './npm-service.ts'

/** Number of requests that `sendMix` sends. */
export const requestsOfMix = 6

export async function sendMix(call: Call): Promise<void> {
  const id = await createGroup(call)
  await call('GET', `/groups/${id}`)
  await call('GET', '/groups?limit=10')
  await call('PATCH', `/groups/${id}`, { group: { name: randomUUID() } })
  await call('GET', '/policies')
  await call('DELETE', `/groups/${id}`)
}

export async function createGroup(call: Call): Promise<string> {
  return (await call('POST', '/groups', { group: { name: randomUUID() } })).data.id
}

export const deleteGroups = (call: Call, ids: string[]) =>
  concurrently(10, ids.length, (i) => call('DELETE', `/groups/${ids[i]}`))

/** Runs `work` `count` times in concurrent loops. Returns the milliseconds and the result of each run, in the order of their start. */
export async function concurrently<T>(loops: number, count: number, work: (i: number) => Promise<T>) {
  const [times, results]: [number[], T[]] = [[], []]
  let next = 0
  const loop = async () => {
    while (next < count) {
      const i = next++
      const start = performance.now()
      results[i] = await work(i)
      times[i] = performance.now() - start
    }
  }
  await Promise.all(Array.from({ length: loops }, loop))
  return { times, results }
}

/** Reads the first `count` objects of a list, in pages as large as the service allows. */
export async function walk(call: Call, path: string, count: number) {
  const rows = []
  const separator = path.includes('?') ? '&' : '?'
  for (let cursor: string | null | undefined = ''; rows.length < count; ) {
    if (cursor == null) throw new Error(`${path} listed ${rows.length} of ${count} objects.`)
    const from = cursor && `&page_cursor=${encodeURIComponent(cursor)}`
    const page = await call('GET', `${path}${separator}limit=1000${from}`)
    rows.push(...page.data)
    cursor = page.metadata?.next_page
  }
  return rows
}

export async function createActors(call: Call, count: number): Promise<string[]> {
  const create = () => call('POST', '/actors', { actor: { type: 'service_account', name: randomUUID() } })
  return (await concurrently(10, count, create)).results.map(({ data }) => data.id)
}

/** Creates a policy of each group for one resource. */
export async function createPolicies(call: Call, groups: { id: string }[]): Promise<void> {
  const site = await call('POST', '/sites', { site: { name: randomUUID() } })
  const resource = { name: 'Wiki', type: 'dns', address: 'wiki.example.com', site_id: site.data.id }
  const resource_id = (await call('POST', '/resources', { resource })).data.id
  await concurrently(10, groups.length, (i) =>
    call('POST', '/policies', { policy: { group_id: groups[i]?.id, resource_id } }),
  )
}

/** Number of clients that share a token, within the burst of a device token. */
const clientsPerToken = 50

/** Registers clients of an actor by starting their sessions. */
export async function registerClients(call: Call, actorId: string, count: number): Promise<void> {
  const client_token = { expires_at: '2099-01-01T00:00:00Z' }
  const { results: tokens } = await concurrently(1, Math.ceil(count / clientsPerToken), () =>
    call('POST', `/actors/${actorId}/client_tokens`, { client_token }),
  )
  await concurrently(10, count, (i) => {
    const session = { svc_id: randomUUID(), public_key: publicKey(), version: '1.4.0' }
    return call('POST', '/client/sessions', { session }, tokens[Math.floor(i / clientsPerToken)]?.data.token)
  })
}

export const putMembers = (call: Call, groupId: string, actorIds: string[]) =>
  call('PUT', `/groups/${groupId}/memberships`, { memberships: actorIds.map((actor_id) => ({ actor_id })) })
