import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callService, type Service, startService } from '#test/support/service/service.ts'
import { walkForms } from '#test/support/sign-in/form-browser.ts'

// Skips the test if Python is missing, except in CI, where the test then fails.
const hasPython = process.env.CI !== undefined || spawnSync('python3', ['--version']).status === 0
if (!hasPython)
  process.stderr.write('There is no python3 here: no client in another language follows docs/devices.md.\n')

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

let service: Service
let device: ChildProcess
const events: Body[] = []
let errors = ''

async function ask(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<Body> {
  const answer = await callService(service, path, { method, body: body && JSON.stringify(body) })
  const { data } = (await answer.json()) as Body
  if (!data) throw new Error(`${method} ${path}: ${answer.status}`)
  return data
}

/** Prepares the account as an administrator does (docs/sign-in.md). Requires a passcode for the emails of the provider. */
async function prepare() {
  const [provider] = await ask('/oidc_auth_providers')
  const proof = { oidc_auth_provider: { email_verification_method: 'proof' } }
  await ask(`/oidc_auth_providers/${provider.id}`, proof, 'PATCH')
  const [person] = await ask('/actors?email=uma@example.com')
  const site = await ask('/sites', { site: { name: 'Python site' } })
  const group = await ask('/groups', { group: { name: 'Python group' } })
  await ask(`/groups/${group.id}/memberships`, { memberships: [{ actor_id: person.id }] }, 'PUT')
  const wiki = { name: 'Python wiki', type: 'dns', address: 'wiki.example.com', site_id: site.id }
  const resource = await ask('/resources', { resource: wiki })
  await ask('/policies', { policy: { group_id: group.id, resource_id: resource.id } })
  const gateway = await ask(`/sites/${site.id}/gateways`, { gateway: { name: 'python-1' } })
  return { provider, person, resource, gateway }
}

/**
 * Polls longer than the helper `until`, because the Python script takes time to start.
 * @throws Error if the script exits first or after 40 s
 */
async function found<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 2_000; tries++) {
    const value = look()
    if (value !== undefined) return value
    if (device.exitCode !== null || device.pid === undefined) break
    await sleep(20)
  }
  throw new Error(`The client in Python has not come that far: ${JSON.stringify(events)}\n${errors}`)
}

const next = (event: string): Promise<Body> =>
  found(() => {
    const at = events.findIndex((line) => line.event === event)
    return at < 0 ? undefined : events.splice(at, 1)[0]
  })

async function signInAt(page: string, person: string): Promise<void> {
  const html = await (await fetch(page)).text()
  const [, start = ''] = /href="([^"]*\/start\?[^"]*)"/.exec(html) ?? []
  const back = new URL(page).searchParams.get('redirect_uri') ?? ''
  const returned = await walkForms(new URL(start.replaceAll('&amp;', '&'), page).href, back, ([form]) => {
    const [, sub] = new RegExp(`value="([^"]*)">${person}`).exec(form?.html ?? '') ?? []
    if (!form || sub === undefined) throw new Error(`The demo provider does not offer ${person}.`)
    return { form, fields: { sub } }
  })
  await fetch(returned)
}

function mailedPasscode(): string | undefined {
  const folder = join(service.dataDir, 'mails')
  const newest = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined
  return (
    newest &&
    /\b[2-9A-HJKMNP-Z]{6}\b/.exec(readFileSync(join(folder, newest), 'utf8').split('\n\n').slice(1).join())?.[0]
  )
}

describe.skipIf(!hasPython)('Python clients written from docs/devices.md and docs/sign-in.md alone', () => {
  let world: Awaited<ReturnType<typeof prepare>>
  beforeAll(async () => {
    service = await startService({ args: ['--demo-idp'], env: { DEMO_IDP_PORT: '0' } })
    world = await prepare()
    const { api_token } = service.credentials
    const parameters = [service.baseUrl, 'demo', world.resource.id, world.gateway.token, api_token]
    device = spawn('python3', ['-B', join(import.meta.dirname, 'python/device.py'), ...parameters])
    device.on('error', ({ message }) => {
      errors += message
    })
    device.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    if (device.stdout) createInterface(device.stdout).on('line', (line) => events.push(JSON.parse(line)))
  })
  afterAll(async () => {
    device?.kill()
    await service?.stop()
  })

  it('sign a person in, whose first sign-in requires a passcode', async () => {
    const { url } = await next('page')
    await signInAt(url, 'Uma User')
    await next('passcode')
    device.stdin?.write(`${await found(mailedPasscode)}\n`)
    // Expects that a missing passcode, a wrong passcode and a second use of the code all fail.
    expect(await next('signed in')).toMatchObject({ email: 'uma@example.com', prefix: 'nac_', failed: [422, 401, 401] })
  })

  it("start sessions, and the gateway receives the client's authorization", async () => {
    expect(await next('session')).toMatchObject({ resources: [world.resource.id], channel: 101 })
    expect(await next('authorized')).toMatchObject({ same: true, actor_id: world.person.id })
  })

  it('report a flow from both sides, which is in the log', async () => {
    const { reports, entries } = await next('flows')
    expect(reports).toEqual([
      [[1, 1], 422],
      [[1, 1], 422],
    ])
    expect(entries.map(({ role }: Body) => role).sort()).toEqual(['initiator', 'responder'])
    for (const entry of entries) {
      expect(entry).toMatchObject({ rx_bytes: 8000, resource_name: 'Python wiki', initiator_actor_name: 'Uma User' })
    }
  })

  it("end sessions, sign in again without a passcode, and distinguish a refusal from a provider's fault", async () => {
    expect(await next('left')).toMatchObject({ ended: 404, refused: 401, held: 0 })
    await signInAt((await next('page')).url, 'Uma User')
    expect(await next('second')).toMatchObject({ failed: [401] })
    await signInAt((await next('page')).url, 'Cancel the sign-in')
    expect(await next('refused')).toMatchObject({ error: 'access_denied' })
    const { url } = await next('page')
    expect(new URL(url).searchParams.get('error')).toBe('access_denied')
    const wrong = { oidc_auth_provider: { client_secret: 'not that of the app' } }
    await ask(`/oidc_auth_providers/${world.provider.id}`, wrong, 'PATCH')
    await signInAt(url, 'Uma User')
    expect(await next('refused')).toMatchObject({ error: 'server_error' })
    if (device.exitCode === null) await once(device, 'exit')
    expect([device.exitCode, errors]).toEqual([0, ''])
  })
})
