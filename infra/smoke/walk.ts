import { randomBytes } from 'node:crypto'
import type { GrantedAuthorization } from '../../docs/examples/client.ts'
import type { Authorization } from '../../docs/examples/gateway.ts'
import { keepaliveSeconds } from '../../docs/examples/intervals.ts'
import { LiveChannel, type LiveEndpoint } from '../../docs/examples/live-channel.ts'
import { reportFlow } from '../../docs/examples/report-flow.ts'
import { Problem } from '../../docs/examples/service.ts'
import { mark } from './leftovers.ts'
import { SkippedStep, SmokeFailure, until } from './report.ts'
import { type CreatedObject, createCaller, type SmokeRun } from './run.ts'

/** Steps of the walk, in order. Each step requires all earlier steps except `live`. */
export const walkSteps = 'site group resource policy gateway live client authorization access flow changes'.split(' ')

type Session = { id: string; live: LiveEndpoint; client: { ipv4: string }; resources: { id: string }[] }
export type SmokeChangeEntry = { log_id: string; object: string; operation: string; after: { id?: string } | null }
type FlowEntry = { initiator_actor_name: string; resource_name: string; policy_authorization_id: string }

/** Maximum time for consumers to write an entry, in seconds. Writing usually takes two seconds. */
const logSeconds = 60

const publicKey = () => randomBytes(32).toString('base64')

const check = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Error(otherwise)
}

/** Stops a second run before it creates anything. A run creates its site first, and site names are unique. */
function refuseSecond(error: unknown): never {
  if (error instanceof Problem && error.code === 'validation_failed')
    throw new SmokeFailure('Another run started at the same time. Nothing was created. Try again when it has ended.')
  throw error
}

/**
 * Walks from an empty site to the logged flow (docs/walk.md).
 * @throws SmokeFailure if another run started first
 */
export async function walk(run: SmokeRun): Promise<SmokeChangeEntry> {
  const nudge = new LiveNudge()
  try {
    return await runSteps(run, nudge)
  } finally {
    nudge.close()
  }
}

async function runSteps(
  { api, report, stop, options: { baseUrl } }: SmokeRun,
  nudge: LiveNudge,
): Promise<SmokeChangeEntry> {
  const createObject = async (path: string, body: object): Promise<[string, CreatedObject]> => {
    const object = await api.create(path, body)
    return [`created ${object.id}`, object]
  }
  const site = await report.step('site', () => createObject('/sites', { site: { name: mark } })).catch(refuseSecond)
  const group = await report.step('group', () => createObject('/groups', { group: { name: mark } }))
  const address = { name: mark, type: 'dns', address: 'smoke.example.com', site_id: site.id }
  const resource = await report.step('resource', () => createObject('/resources', { resource: address }))
  const grant = { group_id: group.id, resource_id: resource.id }
  const policy = await report.step('policy', () => createObject('/policies', { policy: grant }))

  const gateway = await report.step('gateway', async () => {
    const path = `/sites/${site.id}/gateways`
    const newGateway = await api.create<CreatedObject & { token: string }>(path, { gateway: { name: mark } })
    const device = createCaller(baseUrl, newGateway.token)
    const session = { public_key: publicKey(), version: '1.4.0' }
    const { id, live } = await device.request<Session>('POST', '/gateway/sessions', { session })
    const [row] = await api.list<{ online: boolean }>(path, { limit: '1' })
    check(row?.online === true, 'its session started, and the account shows it as offline')
    return [`online with its own token`, { id: newGateway.id, device, session: id, live }]
  })
  const { device } = gateway
  // Continues without the live channel, because access does not depend on it.
  await report.step('live', () => nudge.open(gateway.live, gateway.session, device.headers)).catch(() => undefined)

  const client = await report.step('client', async () => {
    const actor = await api.create('/actors', { actor: { name: mark, type: 'service_account' } })
    await api.change(`/groups/${group.id}/memberships`, { memberships: { add: [actor.id] } })
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const path = `/actors/${actor.id}/client_tokens`
    const token = await api.create<{ id: string; token: string }>(path, { client_token: { expires_at } })
    const caller = createCaller(baseUrl, token.token)
    const session = { svc_id: 'smoke', public_key: publicKey(), version: '1.4.0' }
    const clientSession = await caller.request<Session>('POST', '/client/sessions', { session })
    check(
      clientSession.resources.map(({ id }) => id).join() === resource.id,
      'its session does not show exactly this resource',
    )
    return [
      `can connect to the resource, as ${clientSession.client.ipv4}`,
      { actor, token, caller, ipv4: clientSession.client.ipv4 },
    ]
  })

  const flowAuthorization = await report.step('authorization', async () => {
    const authorization = { resource_id: resource.id }
    const grantedAuthorization = await client.caller.request<GrantedAuthorization>('POST', '/client/authorizations', {
      authorization,
    })
    const isNudged = await nudge.isNudged()
    const beat = `/gateway/sessions/${gateway.session}`
    const { authorizations } = await device.request<{ authorizations: Authorization[] }>('PUT', beat)
    const isListed = authorizations.some(({ id }) => id === grantedAuthorization.id)
    check(isListed, 'the heartbeat of the gateway does not list it')
    return [`the gateway received it${isNudged ? ', announced by the live channel' : ''}`, grantedAuthorization]
  })

  await report.step('access', async () => {
    const actors = await api.list<CreatedObject>(`/access/resources/${resource.id}/actors`, {})
    const isAlone = actors.map(({ id }) => id).join() === client.actor.id
    check(isAlone, `${actors.length} actors can reach the resource, not 1`)
    return ['only the actor can reach the resource', undefined]
  })

  await report.step('flow', async () => {
    await reportFlow(baseUrl, flowAuthorization, client.ipv4)
    // Includes the next hour, because the local clock may be ahead of the service's.
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const query = { type: 'flow', actor_id: client.actor.id, end, limit: '1', total_limit: '0' }
    const entry = await until({ stop, seconds: logSeconds, missing: 'the flow was not in GET /logs' }, async () => {
      const [newest] = await api.list<FlowEntry>('/logs', query)
      return newest ?? null
    })
    const { initiator_actor_name, resource_name, policy_authorization_id: id } = entry
    check(
      initiator_actor_name === mark && resource_name === mark && id === flowAuthorization.id,
      'the flow names another authorization',
    )
    return ['reported, and shown in the flow log', undefined]
  })

  return report.step('changes', async () => {
    const objects = { site, group, resource, policy, gateway, actor: client.actor, 'client token': client.token }
    const entries: SmokeChangeEntry[] = []
    for (const [name, { id }] of Object.entries(objects)) {
      const missing = `the creation of the ${name} was not in the change log`
      const query = { type: 'change', object_id: id, limit: '10', total_limit: '0' }
      entries.push(
        await until({ stop, seconds: logSeconds, missing }, async () => {
          const changeEntries = await api.list<SmokeChangeEntry>('/logs', query)
          return changeEntries.find(({ operation }) => operation === 'insert') ?? null
        }),
      )
    }
    return [`${entries.length} creations are in the change log`, entries[0] as SmokeChangeEntry]
  })
}

/** Connection from a gateway to the live channel, to receive the message that announces a new authorization. */
class LiveNudge {
  readonly #opened = Promise.withResolvers<void>()
  readonly #nudged = Promise.withResolvers<void>()
  readonly #channel = new LiveChannel({
    opened: () => this.#opened.resolve(),
    closed: () => undefined,
    received: ({ type }) => {
      if (type === 'authorizations') this.#nudged.resolve()
    },
  })
  #isOpen = false

  async open(live: LiveEndpoint, sessionId: string, headers: Record<string, string>): Promise<[string, undefined]> {
    if (live === null) throw new SkippedStep('the deployment has no live channel')
    this.#channel.open(live, sessionId, headers, keepaliveSeconds)
    await inTime(this.#opened.promise, 15_000, `${live.url} did not open`)
    this.#isOpen = true
    return [`open at ${live.url}`, undefined]
  }

  /** Waits for the message. Returns false if the channel is not open. */
  async isNudged(): Promise<boolean> {
    if (this.#isOpen) await inTime(this.#nudged.promise, 10_000, 'the live channel did not announce the authorization')
    return this.#isOpen
  }

  close(): void {
    this.#channel.close()
  }
}

async function inTime(work: Promise<void>, milliseconds: number, missing: string): Promise<void> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`${missing} within ${milliseconds / 1_000} s`)), milliseconds)
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer))
}
