import { randomUUID } from 'node:crypto'
import { handler as evaluate } from '#functions/api/access/evaluate-access.ts'
import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { type Authorization, authorizationItems } from '#shared/access/authorization.ts'
import { choosePolicy } from '#shared/access/decide.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { type PolicyRow, policies } from '#shared/domain/policies/policy.ts'
import { type ResourceRow, resources } from '#shared/domain/resources/resource.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { conditionContext } from '#test/support/access/circumstances.ts'
import { heartbeat } from '#test/support/access/gateways.ts'
import { type Answer, call } from '#test/support/accounts/account.ts'
import { dnsResource, openPolicy } from '#test/support/accounts/row-fields.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'

/** Table usage of an access plane request in a small and in a large account. */
export type AccessCost = { name: string; few: Consumed; many: Consumed }

type World = Awaited<ReturnType<typeof newWorld>>

const everyDay = [...'MTWRFSU'].map((day) => `${day}/true/Europe/Berlin`)
const conditions = [
  { property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24', '2001:db8::/32'] },
  { property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: everyDay },
]
const limits = { api_capacity: 1_000_000, api_refill_rate: 1_000_000 }

/** Creates an account with `others` unrelated policies, resources and authorizations. The account's clients can access ten resources. */
async function newWorld(others: number) {
  const world = await newAccessWorld(conditions, { limits })
  const gateway = await world.addGateway()
  const reachable = [world.resource]
  for (let i = 1; i < 10; i++) {
    const resource = await world.addResource({ name: `Host ${i}` })
    await world.addPolicy({ resource_id: resource.id, conditions })
    reachable.push(resource)
  }
  await plantOthers(world, others)
  /** Creates a client with its own token, because the rate limit allows a burst of 200 requests per token. */
  const newClient = async () => {
    const { token } = await world.addToken()
    const session = (await world.startSession({ svc_id: randomUUID() }, { token })).body.data
    const ask = ({ id }: { id: string }) => world.ask({ resource_id: id }, { token })
    const renew = () => call(renewClientSession, { method: 'PUT', token, params: { id: session.id } })
    return { ask, renew }
  }
  return { ...world, gateway, reachable, newClient }
}

/** Inserts unrelated objects. Half of the resources belong to the client's site, but no policy grants the client's actor access to them. */
async function plantOthers({ account, site }: Awaited<ReturnType<typeof newAccessWorld>>, count: number) {
  const group = randomUUID()
  const resource = (i: number) => ({
    name: `Other ${i}`,
    ...dnsResource,
    address: `other-${i}.example.com`,
    site_id: i % 2 === 0 ? site.id : group,
  })
  await plantRows<ResourceRow>(account.id, resources, count, resource, ['site_id'])
  await plantRows<PolicyRow>(account.id, policies, count, () => ({
    ...openPolicy,
    group_id: group,
    resource_id: randomUUID(),
    conditions,
  }))
  const gatewayIds = Array.from({ length: 20 }, () => randomUUID())
  const items = Array.from({ length: count }, (_, i) => {
    const { main, grant } = authorizationItems(authorization(account.id, gatewayIds[i % gatewayIds.length] as string))
    return [main, grant]
  })
  await plantItems(items.flat())
}

const authorization = (account_id: string, gateway_id: string): Authorization => ({
  id: randomUUID(),
  account_id,
  policy_id: randomUUID(),
  client_id: randomUUID(),
  actor_id: randomUUID(),
  gateway_id,
  resource_id: randomUUID(),
  client_token_id: randomUUID(),
  membership: null,
  client_public_key: 'key',
  client_remote_ip: '192.0.2.1',
  gateway_remote_ip: null,
  user_agent: null,
  flow_log_uploads_enabled: true,
  authorized_at: timestamp(clock.now()),
  expires_at: '2099-01-01T00:00:00.000000Z',
  state_at: timestamp(clock.now()),
})

/** Measured requests of clients and gateways. `prepare` runs before each measurement and returns a function that sends the request. */
const requests: [name: string, prepare: (world: World) => Promise<() => Promise<Answer>>][] = [
  [
    'a new decision',
    async ({ newClient, reachable }) => {
      const { ask } = await newClient()
      return () => ask(reachable[0] as ResourceRow)
    },
  ],
  [
    'a repeated decision',
    async ({ newClient, reachable }) => {
      const { ask } = await newClient()
      await ask(reachable[0] as ResourceRow)
      return () => ask(reachable[0] as ResourceRow)
    },
  ],
  ["a client's heartbeat", async ({ newClient }) => (await newClient()).renew],
  [
    "a gateway's full heartbeat",
    async ({ gateway }) =>
      () =>
        heartbeat(gateway.token, gateway.session.id),
  ],
  [
    "a gateway's heartbeat with since",
    async ({ gateway }) => {
      const { since } = (await heartbeat(gateway.token, gateway.session.id)).body.data
      return () => heartbeat(gateway.token, gateway.session.id, { session: { since } })
    },
  ],
  [
    'an evaluation',
    async ({ account, actor, reachable: [resource] }) =>
      () =>
        account.call(evaluate, { method: 'POST', body: { actor_id: actor.id, resource_id: resource?.id } }),
  ],
]

/** Returns the minimum of three measurements, because a request may also renew a rate limit lease. */
async function cost(world: World, prepare: (typeof requests)[number][1]): Promise<Consumed> {
  const tries: Consumed[] = []
  for (let i = 0; i < 3; i++) {
    const request = await prepare(world)
    tries.push(
      await measure(async () => {
        const { status, text } = await request()
        if (status > 201) throw new Error(`A request was refused: ${text}`)
      }),
    )
  }
  return tries.reduce((a, b) => (b.reads + b.writes < a.reads + a.writes ? b : a))
}

/**
 * Measures access plane requests in accounts with `few` and with `many` unrelated authorizations, policies and resources. Each gateway has
 * one client with ten authorizations, and each client can access ten resources.
 */
export async function accessCosts(few: number, many: number): Promise<AccessCost[]> {
  const worlds = [await newWorld(few), await newWorld(many)] as const
  for (const { newClient, reachable } of worlds) {
    const { ask } = await newClient()
    for (const resource of reachable) await ask(resource)
  }
  const costs: AccessCost[] = []
  // Alternates between the worlds, so that both gateways have the same number of authorizations at each measurement.
  for (const [name, prepare] of requests)
    costs.push({ name, few: await cost(worlds[0], prepare), many: await cost(worlds[1], prepare) })
  return costs
}

/** Returns runs per second of CPU in this process, without the engine's CPU. */
async function perSecond(count: number, work: (index: number) => unknown): Promise<number> {
  const start = process.cpuUsage()
  for (let i = 0; i < count; i++) await work(i)
  const { user, system } = process.cpuUsage(start)
  return count / ((user + system) / 1e6)
}

/** Measures decisions per second of CPU: new decisions, repeated decisions, and the choice among ten policies without a request. */
export async function decisionRates(): Promise<Record<string, number>> {
  const { newClient, reachable, policy } = await newWorld(0)
  const clients = await Promise.all(Array.from({ length: 40 }, newClient))
  const ask = (i: number) =>
    clients[i % clients.length]?.ask(reachable[Math.floor(i / clients.length) % 10] as ResourceRow)
  await perSecond(clients.length, ask)
  const candidates = Array.from({ length: 10 }, () => policy)
  const situation = conditionContext({ ip: '192.0.2.10' })
  const choose = () => choosePolicy(candidates, situation, Number.POSITIVE_INFINITY, clock.now())
  await perSecond(1_000, choose)
  return {
    'new decisions': await perSecond(200, (i) => ask(i + clients.length)),
    'repeated decisions': await perSecond(200, ask),
    'choices among ten policies with conditions on IP and time': await perSecond(20_000, choose),
  }
}

export const accessTable = (costs: AccessCost[], few: number, many: number): string =>
  costs
    .map(({ name, few: at, many: then }) => {
      const units = ({ requests, reads, writes }: Consumed) =>
        `${requests} requests, ${reads} read and ${writes} write units`
      return `  ${name}: ${units(at)} at ${few}; ${units(then)} at ${many}\n`
    })
    .join('')
