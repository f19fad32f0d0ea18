import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { publicKey } from '#test/support/access/public-key.ts'
import { openAccount } from '#test/support/service/reporters.ts'
import { startService } from '#test/support/service/service.ts'
import { Client } from '../../../docs/examples/client.ts'
import { Gateway } from '../../../docs/examples/gateway.ts'
import { GatewayWatch } from './gateway-watch.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any
type Grant = { resource: Body; policy: Body }

/**
 * Starts a service with an account whose group has access to resources through one gateway. The devices run the code in `docs/examples`.
 */
export async function openLiveWorld() {
  const service = await startService({ env: { LOG_FORMAT: 'json' } })
  const watch = new GatewayWatch()
  const stopping: (() => Promise<void>)[] = []
  const stop = async () => {
    await Promise.allSettled(stopping.map((one) => one()))
    watch.stop()
    await service.stop()
  }
  try {
    const { call } = await openAccount(service)
    const create = async (path: string, body: unknown): Promise<Body> => {
      const reply = await call('POST', path, body)
      if (reply.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(reply.body)}`)
      return reply.body.data
    }
    const site = await create('/sites', { site: { name: 'Berlin' } })
    const group = await create('/groups', { group: { name: 'Engineering' } })
    const { token } = await create(`/sites/${site.id}/gateways`, { gateway: {} })
    const gateway = new Gateway(service.baseUrl, token, publicKey(), (change) => watch.note(change))
    void gateway.run()
    stopping.push(() => gateway.stop())
    return {
      call,
      watch,
      stop,
      pid: service.pid,
      async addGrants(count: number): Promise<Grant[]> {
        const grants: Grant[] = []
        for (let i = 0; i < count; i++) {
          const name = `Wiki ${randomUUID()}`
          const address = `${randomUUID()}.example.com`
          const resource = await create('/resources', { resource: { name, type: 'dns', address, site_id: site.id } })
          const policy = { group_id: group.id, resource_id: resource.id }
          grants.push({ resource, policy: await create('/policies', { policy }) })
        }
        return grants
      },
      /** Adds a member to the group and returns its client token. */
      async addRobot(): Promise<string> {
        const actor = await create('/actors', { actor: { name: 'Robot', type: 'service_account' } })
        await call('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [actor.id] } })
        const client_token = { expires_at: new Date(Date.now() + 86_400_000).toISOString() }
        return (await create(`/actors/${actor.id}/client_tokens`, { client_token })).token
      },
      async connect(deviceToken: string, changed?: () => void): Promise<Client> {
        const device = { token: deviceToken, installation: randomUUID(), publicKey: publicKey() }
        const client = new Client({ baseUrl: service.baseUrl, ...device }, changed)
        await client.start()
        // Ignores a client's failure, because the failure shows in the figures.
        client.run().catch(() => undefined)
        stopping.push(() => client.stop())
        return client
      },
      async lines(since: Date): Promise<Body[]> {
        await sleep(50)
        return service
          .output()
          .split('\n')
          .filter((line) => line.startsWith('{"level"'))
          .map((line) => JSON.parse(line))
          .filter(({ timestamp }) => timestamp >= since.toISOString())
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export type LiveWorld = Awaited<ReturnType<typeof openLiveWorld>>
