import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { runByControl } from '#infra/local/control.ts'
import { type MdmFake, mdmFake, mdmFleet } from '#test/fakes/mdm.ts'
import { type SuiteFake, suiteCompany, suiteFake } from '#test/fakes/suite.ts'
import { type Service, startService } from '#test/support/service/service.ts'
import { type Browsing, openBrowser } from '#test/support/sign-in/browser.ts'
import { publicKey } from '../access/public-key.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
export type Body = any

/** Number of people in the directory that tests preview, brake and rewind (K12.8). */
const directoryPeople = 200

/** Calls of the API with the token of an account, and the ids of its objects by the first segment of their address. */
export type ConsoleAccount = {
  slug: string
  token: string
  ids: Record<string, Record<string, string>>
  api(method: string, path: string, body?: unknown): Promise<Body>
}

export type ConsoleWorld = {
  service: Service
  browsing: Browsing
  page: Page
  /** Messages of errors that no code of the page caught. */
  failures: string[]
  suite: SuiteFake
  mdm: MdmFake
  /** Account with few objects and usual names. */
  demo: ConsoleAccount
  /** Account with hundreds of objects, whose names are hostile. */
  hostile: ConsoleAccount
  /** Starts the check for due runs, which the service otherwise makes once a minute. */
  wake(): Promise<unknown>
  stop(): Promise<void>
}

/** Name with characters that change the direction of text, markup, a formula, and text without a blank. */
const hostileName = (number: number, length = 255): string => {
  const start = `=${number} \u202Egnp.evil\u202C <img src=x onerror=alert(1)> ')-- `
  return start + 'x'.repeat(length - start.length)
}

export async function until<T>(
  what: string,
  found: () => Promise<T | undefined | null | false>,
  pause = 50,
): Promise<T> {
  const end = Date.now() + 60_000
  for (;;) {
    const value = await found()
    if (value) return value
    if (Date.now() > end) throw new Error(`Not within a minute: ${what}`)
    await sleep(pause)
  }
}

export const callsOf = (service: Service, token: string): ConsoleAccount['api'] =>
  async function api(method, path, body) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: Body = await response.json()
    return response.ok ? answer.data : Promise.reject(new Error(`${method} ${path}: ${JSON.stringify(answer)}`))
  }

/** Returns the last passcode that the service mailed to an address. */
function mailedCode({ dataDir }: Service, address: string): string | undefined {
  const folder = join(dataDir, 'mails')
  if (!existsSync(folder)) return undefined
  const mails = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const mail = mails.findLast((text) => text.includes(address))
  return mail && /\b[2-9A-HJKMNP-Z]{6}\b/.exec(mail.slice(mail.indexOf('\n\n')))?.[0]
}

/** Signs in at the sign-in page with a passcode by email. */
export async function enterPasscode({ service }: Pick<ConsoleWorld, 'service'>, page: Page, email: string) {
  await page.getByLabel('Email').fill(email)
  const earlier = mailedCode(service, email)
  await page.getByRole('button', { name: 'Send me a passcode' }).click()
  const isNew = async () => mailedCode(service, email) !== earlier && mailedCode(service, email)
  await page.getByLabel('6-character passcode').fill(await until('a passcode', isNew))
  await page.getByRole('button', { name: 'Sign in to the administration' }).click()
}

type Devices = { gateway: string; client: string; resource: string }

/** Connects a client and a gateway with their tokens, authorizes the client, and reports an open flow of both. */
async function reportFlow(service: Service, { gateway, client, resource }: Devices): Promise<void> {
  const session = { public_key: publicKey(), version: '1.5.1' }
  const gatewayCall = callsOf(service, gateway)
  const { id: gatewaySession } = await gatewayCall('POST', '/gateway/sessions', { session })
  const call = callsOf(service, client)
  const { id, client: device } = await call('POST', '/client/sessions', {
    session: { ...session, public_key: publicKey(), svc_id: 'laptop-1' },
  })
  const authorization = { resource_id: resource, session_id: id }
  const granted = await call('POST', '/client/authorizations', { authorization })
  const flow = {
    protocol: 'tcp',
    inner_src_ip: device.ipv4,
    inner_src_port: 50_000,
    inner_dst_ip: granted.gateway.ipv4,
    inner_dst_port: 443,
    flow_start: new Date().toISOString(),
  }
  const { authorizations } = await gatewayCall('PUT', `/gateway/sessions/${gatewaySession}`, { session: {} })
  for (const token of [granted.ingest_token, authorizations[0].ingest_token])
    await callsOf(service, token)('POST', '/ingestion/flow_logs', { flow_logs: [flow] })
}

type Seed = {
  account: ConsoleAccount
  world: Pick<ConsoleWorld, 'service' | 'suite' | 'mdm'>
  wake(): Promise<unknown>
}

/** Creates an object of every kind that has a screen. `nameOf` returns the name of an object. */
async function seed({ account, world, wake }: Seed, nameOf: (usual: string) => string): Promise<void> {
  const { api, ids } = account
  const site = await api('POST', '/sites', { site: { name: nameOf('Berlin').slice(0, 64) } })
  const group = await api('POST', '/groups', { group: { name: nameOf('Staff') } })
  const person = { name: nameOf('Uma User'), type: 'account_user', email: 'uma.user@example.com' }
  const actor = await api('POST', '/actors', { actor: person })
  const robot = await api('POST', '/actors', { actor: { name: nameOf('Deployer'), type: 'service_account' } })
  const resource = await api('POST', '/resources', {
    resource: { type: 'dns', site_id: site.id, name: nameOf('Wiki'), address: 'wiki.example.com' },
  })
  const policy = await api('POST', '/policies', {
    policy: { group_id: group.id, resource_id: resource.id, description: nameOf('Everyone in Berlin') },
  })
  const add = [actor.id, robot.id]
  await api('PATCH', `/groups/${group.id}/memberships`, { memberships: { add, remove: [] } })
  const gateway = await api('POST', `/sites/${site.id}/gateways`, { gateway: { name: nameOf('gw-1') } })
  const passcodes = { email_otp_auth_provider: { name: nameOf('Passcode') } }
  const [existing] = await api('GET', '/email_otp_auth_providers')
  const provider = existing ?? (await api('POST', '/email_otp_auth_providers', passcodes))
  const { token } = await api('POST', `/actors/${robot.id}/client_tokens`, {
    client_token: { expires_at: '2099-01-01T00:00:00Z' },
  })
  await reportFlow(world.service, { gateway: gateway.token, client: token, resource: resource.id })
  const [client] = await api('GET', '/clients')
  await api('PATCH', `/clients/${client.id}`, { client: { name: nameOf('Laptop') } })
  const suite = await api('POST', '/suite_directories', {
    suite_directory: {
      name: nameOf('Company'),
      is_disabled: true,
      impersonation_email: 'admin@example.com',
      service_account_key: world.suite.serviceAccountKey,
    },
  })
  const run = await api('POST', `/suite_directories/${suite.id}/preview`)
  const posture = await api('POST', '/mdm_posture_providers', {
    mdm_posture_provider: {
      name: nameOf('Fleet'),
      type: 'mdm',
      subdomain: 'company',
      region: 'us',
      api_token: world.mdm.data.apiToken,
    },
  })
  await wake()
  const device = await until('a device', async () => (await api('GET', '/mdm_devices'))[0])
  const [inventoryRun] = await api('GET', `/mdm_posture_providers/${posture.id}/runs`)
  const entryOf = async (type: string) => ({
    log_id: await until(
      `an entry of type ${type}`,
      async () => (await api('GET', `/logs?type=${type}&limit=1`))[0]?.log_id,
    ),
  })
  Object.assign(ids, {
    sites: { id: site.id, site_id: site.id },
    gateways: { site_id: site.id, id: gateway.id },
    groups: { id: group.id },
    actors: { id: actor.id },
    resources: { id: resource.id },
    policies: { id: policy.id },
    email_otp: { id: provider.id },
    clients: { id: client.id },
    suite: { id: suite.id, run_id: run.id },
    posture_providers: { id: posture.id, run_id: inventoryRun.id },
    devices: { id: device.id },
    flows: await entryOf('flow'),
    changes: await entryOf('change'),
    sessions: await entryOf('session'),
    requests: await entryOf('api_request'),
  })
}

/** Adds objects, so that no list fits on one page. */
async function fill({ api, ids }: ConsoleAccount): Promise<void> {
  const site_id = ids.sites?.id
  const create = async (number: number) => {
    const name = hostileName(number)
    const [group, resource] = await Promise.all([
      api('POST', '/groups', { group: { name } }),
      api('POST', '/resources', { resource: { type: 'dns', site_id, name, address: `r${number}.example.com` } }),
      api('POST', '/actors', { actor: { name, type: 'account_user', email: `p${number}@example.com` } }),
      api('POST', '/sites', { site: { name: name.slice(0, 64) } }),
      api('POST', `/sites/${site_id}/gateways`, { gateway: { name } }),
      api('POST', '/actors', { actor: { name: hostileName(number, 254), type: 'api_client' } }),
    ])
    await api('POST', '/policies', { policy: { group_id: group.id, resource_id: resource.id, description: name } })
  }
  for (let number = 1000; number < 1060; number += 4)
    await Promise.all([create(number), create(number + 1), create(number + 2), create(number + 3)])
}

/** Opens a screen of an account without a reload, and waits until it has read its data. */
export async function openScreen({ page }: Pick<ConsoleWorld, 'page'>, { slug }: ConsoleAccount, path: string) {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console/${slug}${path}`)})`)
  await settled(page)
}

/** Waits until a screen has a heading and reads nothing. */
export async function settled(page: Page): Promise<void> {
  const script = 'Boolean(document.querySelector("h1, .empty") && !document.querySelector("[aria-busy]"))'
  // Polls from outside of the page, whose content security policy forbids the evaluation of texts.
  await until('a screen', () => page.evaluate(script).catch(() => false), 15)
}

/** Starts the service with a demo provider, a directory, an inventory and two accounts, and opens a browser. */
export async function openConsoleWorld(chromium: string): Promise<ConsoleWorld> {
  const suite = await suiteFake(suiteCompany(directoryPeople, 8))
  const mdm = await mdmFake(mdmFleet(3))
  const service = await startService({
    args: ['--demo-idp'],
    env: {
      ALLOW_INSECURE_PROVIDERS: '1',
      SUITE_TOKEN_URL: `${suite.url}/token`,
      SUITE_API_URL: suite.url,
      MDM_API_URL: mdm.url,
    },
  })
  const wake = () => runByControl(service.dataDir, 'sync', {})
  const accountOf = (slug: string, token: string) => ({ slug, token, ids: {}, api: callsOf(service, token) })
  const demo = accountOf('demo', service.credentials.api_token)
  const provisioned = (await runByControl(service.dataDir, 'provision-account', {
    account: { name: hostileName(1, 64), slug: 'hostile', limits: { api_capacity: 100_000, api_refill_rate: 100_000 } },
    admin: { name: hostileName(2), email: 'ada@hostile.example' },
    token_in: 'answer',
  })) as { data?: { api_token: { token: string } } }
  if (!provisioned.data) throw new Error(JSON.stringify(provisioned))
  const hostile = accountOf('hostile', provisioned.data.api_token.token)
  const browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  const { page } = browsing
  const failures: string[] = []
  page.context().on('weberror', (error) => failures.push(error.error().message))
  page.setDefaultTimeout(10_000)
  // Ends transitions at once, during which colours have no contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const world = { service, browsing, page, failures, suite, mdm, demo, hostile, wake }
  await seed({ account: demo, world, wake }, (usual) => usual)
  let number = 2
  await seed({ account: hostile, world, wake }, () => hostileName(++number))
  await fill(hostile)
  return {
    ...world,
    async stop() {
      await browsing.close()
      await service.stop()
      await Promise.all([suite.close(), mdm.close()])
    },
  }
}
