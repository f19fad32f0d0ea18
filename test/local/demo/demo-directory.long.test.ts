import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runByControl } from '#infra/local/control.ts'
import { type Service, startService } from '#test/support/service/service.ts'

const hasCurl = spawnSync('curl', ['--version']).error === undefined

let service: Service
beforeAll(async () => {
  service = await startService({ args: ['--demo-idp'] })
}, 180_000)
afterAll(() => service?.stop())

/** Runs a curl command of the start screen in a shell, and returns the parsed response. */
function type(command: string) {
  const TOKEN = service.credentials.api_token
  const { stdout } = spawnSync('sh', ['-c', `${command} -s`], { encoding: 'utf8', env: { ...process.env, TOKEN } })
  return JSON.parse(stdout)
}

async function get(path: string) {
  const headers = { authorization: `Bearer ${service.credentials.api_token}` }
  return (await fetch(service.baseUrl + path, { headers })).json() as Promise<{
    data: Record<string, unknown>[]
    metadata: { count: number }
  }>
}

it.skipIf(!hasCurl)(
  'the commands of the start screen preview and enable the directory of the demo company',
  { timeout: 300_000 },
  async () => {
    const commands = service.output().match(/curl .*\/tenant_directories\/.*/g) ?? []
    const [preview = '', runs = '', enable = ''] = commands
    expect(commands).toHaveLength(3)
    /** Waits until there are `count` runs and the newest has finished. Triggers the sync, which the service otherwise runs every minute. */
    const finished = async (count: number) => {
      for (;;) {
        await runByControl(service.dataDir, 'sync', {}).catch(() => undefined)
        const { data } = type(runs)
        if (data.length === count && data[0].finished_at !== null) return data[0]
        await sleep(200)
      }
    }
    const before = (await get('/actors?limit=1')).metadata.count

    expect(type(preview).data).toMatchObject({ phase: 'read', outcome: null })
    const previewed = await finished(1)
    expect(previewed).toMatchObject({ outcome: 'previewed', error: null, seen: { users: 200, groups: 8 } })
    expect(previewed.planned.users).toEqual({ insert: 200, update: 0, delete: 0 })
    expect((await get('/actors?limit=1')).metadata.count).toBe(before)

    expect(type(enable).data).toMatchObject({ name: 'Demo company', is_disabled: false })
    const synced = await finished(2)
    expect(synced).toMatchObject({ outcome: 'applied', error: null, applied: previewed.planned })
    // Expects two fewer new actors than users, because the two people of the demo provider already existed.
    expect((await get('/actors?limit=1')).metadata.count).toBe(before + 198)
    for (const email of ['uma@example.com', 'admin@example.com']) {
      const { data } = await get(`/actors?email=${email}`)
      expect(data).toHaveLength(1)
      const identities = await get(`/actors/${data[0]?.id}/external_identities`)
      expect(identities.data.filter(({ directory_id }) => directory_id !== null)).toHaveLength(1)
    }
  },
)
