import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'
import { startCloudWatch } from './cloud-watch.ts'
import { mailedPasscode, runSmoke, startSmoke } from './smoke-process.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

type Account = { id: string; token: string }

async function newAccount(slug: string, fields: { limits?: object; scopes?: string[] } = {}): Promise<Account> {
  const { limits = {}, scopes = ['*'] } = fields
  const event = {
    account: { name: 'Smoke test', slug, limits },
    admin: { name: 'Ada', email: 'ada@example.com' },
    api_token: { scopes },
  }
  const { stdout } = await runLocal('provision.ts', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  const { data } = JSON.parse(stdout)
  return { id: data.account.id, token: data.api_token.token }
}

/** Another token of the account, with all scopes. */
async function adminToken({ id }: Account): Promise<string> {
  const api_token = { expires_at: new Date(Date.now() + 86_400_000).toISOString() }
  const event = { operation: 'create_api_token', account_id: id, api_token }
  const { stdout } = await runLocal('provision.ts', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  return JSON.parse(stdout).data.api_token.token
}

const collections = ['sites', 'groups', 'resources', 'policies', 'actors', 'clients', 'email_otp_auth_providers']

/** The objects of an account, by collection, without the times at which they were seen. */
async function objectsOf(token: string): Promise<Record<string, string[]>> {
  const listed = collections.map(async (collection) => {
    const answer = await fetch(`${service.baseUrl}/${collection}?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    return [collection, data.map(({ id }) => id).sort()]
  })
  return Object.fromEntries(await Promise.all(listed))
}

/** Objects below deleted ones follow within seconds. */
const expectAsBefore = (token: string, before: Record<string, string[]>) =>
  vi.waitFor(async () => expect(await objectsOf(token)).toEqual(before), { timeout: 60_000 })

const argsOf = (...args: string[]) => ['--base-url', service.baseUrl, ...args]
const variablesOf = ({ token }: Account, variables: Record<string, string> = {}) => ({
  SMOKE_TOKEN: token,
  ...variables,
})

const topic = 'arn:aws:sns:eu-central-1:111122223333:Alarms'
const alarm = () => ({
  AlarmName: 'ApiFaults',
  StateValue: 'OK',
  ActionsEnabled: true,
  AlarmActions: [topic, `${topic}Second`],
})
const awsVariables = (url: string) => ({
  AWS_ENDPOINT_URL_CLOUDWATCH: url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'example',
})

const walked = [
  'site',
  'group',
  'resource',
  'policy',
  'gateway',
  'live',
  'client',
  'authorization',
  'access',
  'flow',
  'changes',
]
const allOf = (steps: string[], outcome: string) => Object.fromEntries(steps.map((step) => [step, outcome]))

/** The scopes that the documents name as enough. */
const enough = [
  'sites:write',
  'groups:write',
  'resources:write',
  'policies:write',
  'actors:write',
  'gateways:write',
  'tokens:write',
  'providers:write',
  'logs:read',
]

describe('the whole run', () => {
  it('passes with every option and the fewest scopes, and leaves nothing behind', { timeout: 300_000 }, async () => {
    const account = await newAccount('whole', { scopes: enough })
    const admin = await adminToken(account)
    const before = await objectsOf(admin)
    const cloudWatch = await startCloudWatch([alarm()])
    const email = 'smoke@example.org'
    const options = ['--passcode-email', email, '--alarm', 'ApiFaults', '--wait-for-seal']
    const smoke = startSmoke(argsOf(...options), variablesOf(account, awsVariables(cloudWatch.url)))
    await smoke.printed('A passcode was mailed')
    const passcode = await mailedPasscode(service.dataDir, email)
    smoke.child.stdin.write(`222222\n${passcode.toLowerCase()}\n`)
    await smoke.printed(/^ok +sign-in/m)
    await runLocal('seal.ts', [], { DATA_DIR: service.dataDir })
    const { code, stdout, stderr, lines, outcomes } = await smoke.ended()
    cloudWatch.close()

    expect(outcomes, stdout + stderr).toEqual(
      allOf(['account', ...walked, 'sign-in', 'checkpoint', 'alarm', 'clean-up'], 'ok'),
    )
    expect(code).toBe(0)
    expect(lines.filter((line) => !/^ok {7}[a-z-]+ +\S.* \(\d+ ms\)$/.test(line))).toEqual([])
    expect(stdout).toMatch(/^ok +checkpoint .*an entry of this run is in it/m)
    expect(stdout).toMatch(/\n16 ok, 0 failed, 0 skipped, in [\d.]+ s\n$/)
    expect(cloudWatch.states).toEqual(['ALARM', 'OK'])
    for (const secret of [account.token, passcode, /\bna[acgp]_/]) expect(stdout + stderr).not.toMatch(secret)
    await expectAsBefore(admin, before)
  })

  it('says what it skips, and does not count it as ok', async () => {
    const account = await newAccount('skips')
    const { code, outcomes, stdout } = await runSmoke(argsOf('--token', account.token))
    expect(outcomes).toEqual({
      ...allOf(['account', ...walked, 'clean-up'], 'ok'),
      ...allOf(['sign-in', 'checkpoint', 'alarm'], 'skipped'),
    })
    expect(stdout).toContain('13 ok, 0 failed, 3 skipped (sign-in, checkpoint, alarm)')
    expect([code, stdout.includes(account.token)]).toEqual([0, false])
  })

  it('waits where the account is throttled', async () => {
    const account = await newAccount('throttled', { limits: { api_refill_rate: 5, api_capacity: 10 } })
    const { outcomes, stdout } = await runSmoke(argsOf(), variablesOf(account))
    expect(outcomes, stdout).toMatchObject(allOf(['account', ...walked, 'clean-up'], 'ok'))
  })

  it('makes nothing twice where an answer is lost', async () => {
    const account = await newAccount('lost-answers')
    const proxy = await startProxy()
    const { outcomes, stdout } = await runSmoke(['--base-url', proxy.url], variablesOf(account))
    proxy.close()
    expect(proxy.lost.length).toBeGreaterThan(8)
    expect(outcomes, stdout).toMatchObject(allOf(['account', ...walked, 'clean-up'], 'ok'))
  })
})

/** Forwards requests, and loses the first answer to each creation. Answers requests that it denies itself. */
async function startProxy(denies: (method: string, path: string) => boolean = () => false) {
  const lost: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    if (denies(method, url)) return response.writeHead(403).end('{"code":"forbidden","detail":"Denied."}')
    const { host: _host, ...kept } = headers
    const passed = httpRequest(service.baseUrl + url, { method, headers: kept }, (answer) => {
      if (method === 'POST' && answer.statusCode === 201 && !lost.includes(url)) {
        lost.push(url)
        return request.socket.destroy()
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('a step that fails', () => {
  it('ends the walk, leaves the steps that do not need it, and nothing behind', async () => {
    const account = await newAccount('fails', { limits: { service_accounts_count: 0 } })
    const before = await objectsOf(account.token)
    const { code, outcomes, stdout } = await runSmoke(argsOf(), variablesOf(account))
    expect(stdout).toMatch(/^failed +client .*limit_reached/m)
    expect(outcomes).toEqual({
      ...allOf(['account', 'site', 'group', 'resource', 'policy', 'gateway', 'live', 'clean-up'], 'ok'),
      client: 'failed',
      ...allOf(['authorization', 'access', 'flow', 'changes', 'sign-in', 'checkpoint', 'alarm'], 'skipped'),
    })
    expect(code).toBe(1)
    await expectAsBefore(account.token, before)
  })

  it('is the clean-up where an object cannot be deleted, which it names', async () => {
    const account = await newAccount('denied')
    const before = await objectsOf(account.token)
    const proxy = await startProxy((method, path) => method === 'DELETE' && path.startsWith('/groups/'))
    const { code, stdout } = await runSmoke(['--base-url', proxy.url], variablesOf(account))
    proxy.close()
    expect(stdout).toMatch(/^failed +clean-up +not deleted: group [0-9a-f-]{36} \(403 forbidden: Denied\.\)/m)
    expect(code).toBe(1)
    const left = await objectsOf(account.token)
    expect(left).toEqual({ ...before, groups: expect.any(Array) })
    expect(left.groups).toHaveLength((before.groups?.length ?? 0) + 1)
    await runSmoke(argsOf('--clean-up'), variablesOf(account))
    await expectAsBefore(account.token, before)
  })

  it('is the sign-in where no passcode comes', async () => {
    const account = await newAccount('no-passcode')
    const before = await objectsOf(account.token)
    const { code, stdout } = await runSmoke(argsOf('--passcode-email', 'nobody@example.org'), variablesOf(account))
    expect(stdout).toMatch(/^failed +sign-in +no passcode was typed/m)
    expect(code).toBe(1)
    await expectAsBefore(account.token, before)
  })

  it('is the alarm where its topic refuses CloudWatch, and the alarm is set back', async () => {
    const account = await newAccount('silent-alarm')
    const cloudWatch = await startCloudWatch([alarm()], (arn) => arn === topic)
    const { code, stdout } = await runSmoke(
      argsOf('--alarm', 'ApiFaults'),
      variablesOf(account, awsVariables(cloudWatch.url)),
    )
    cloudWatch.close()
    expect(stdout).toMatch(/^failed +alarm .*Second was not notified: .*not authorized to perform: SNS:Publish/m)
    expect([code, cloudWatch.states]).toEqual([1, ['ALARM', 'OK']])
  })
})

describe('an end by a signal', () => {
  it.each([
    ['SIGINT', /^ok +gateway/m, []],
    ['SIGTERM', 'A passcode was mailed', ['--passcode-email', 'late@example.org']],
  ] as const)('%s leaves nothing behind', async (signal, text, options) => {
    const account = await newAccount(signal.toLowerCase())
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(...options), variablesOf(account))
    await smoke.printed(text)
    smoke.child.kill(signal)
    const { code, outcomes, stdout } = await smoke.ended()
    expect(Object.keys(outcomes)).toHaveLength(16)
    expect([code, outcomes['clean-up'], outcomes.alarm], stdout).toEqual([1, 'ok', 'skipped'])
    await expectAsBefore(account.token, before)
  })

  it('of one Ctrl-C, which npm forwards besides, leaves nothing behind', async () => {
    const account = await newAccount('twice')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +gateway/m)
    smoke.child.kill('SIGINT')
    await smoke.printed('SIGINT: deletes what this run has created')
    smoke.child.kill('SIGINT')
    const { code, outcomes } = await smoke.ended()
    expect([code, outcomes['clean-up']]).toEqual([1, 'ok'])
    await expectAsBefore(account.token, before)
  })

  it('is not needed where nobody reads the output any more', async () => {
    const account = await newAccount('unread')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +site/m)
    smoke.child.stdout.destroy()
    smoke.child.stderr.destroy()
    const { code } = await smoke.ended()
    expect(code).toBe(0)
    await expectAsBefore(account.token, before)
  })

  it('SIGKILL leaves what the next run names, and --clean-up deletes', async () => {
    const account = await newAccount('sigkill')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +client/m)
    smoke.child.kill('SIGKILL')
    await smoke.ended()
    const left = await objectsOf(account.token)
    expect(left).not.toEqual(before)

    const next = await runSmoke(argsOf(), variablesOf(account))
    expect([next.code, next.stdout]).toEqual([2, ''])
    expect(next.stderr).toMatch(/^A run that began \d minutes ago is under way, or was killed: .*--clean-up\.\n$/)
    expect(await objectsOf(account.token)).toEqual(left)

    const { code, outcomes } = await runSmoke(argsOf('--clean-up'), variablesOf(account))
    expect([code, outcomes]).toEqual([0, { account: 'ok', 'clean-up': 'ok' }])
    await expectAsBefore(account.token, before)
  })
})

describe('a run that cannot begin', () => {
  /** Exit code 2, one sentence, and not one change. */
  async function expectRefused(account: Account, args: string[], sentence: string | RegExp, variables = {}) {
    const admin = await adminToken(account)
    const before = await objectsOf(admin)
    const { code, stdout, stderr } = await runSmoke(args, variablesOf(account, variables))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(sentence)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).not.toContain(account.token)
    expect(await objectsOf(admin)).toEqual(before)
  }

  it('names each scope that the token lacks', async () => {
    const account = await newAccount('narrow', { scopes: enough.filter((scope) => !/^(groups|logs)/.test(scope)) })
    await expectRefused(account, argsOf(), /lacks the scope groups:write\..* lacks the scope logs:read\.$/m)
  })

  it('refuses a token that is no value of an option, without printing it', async () => {
    const account = await newAccount('lost-option')
    await expectRefused(account, argsOf(account.token), "Unexpected argument '[token]'.")
  })

  it('refuses a token that counts for nothing', async () => {
    const account = await newAccount('wrong-token')
    await expectRefused({ ...account, token: `${account.token}x` }, argsOf(), 'The token is no API token of')
  })

  it('refuses an address where no service answers, or another one', async () => {
    const account = await newAccount('wrong-address')
    await expectRefused(account, ['--base-url', 'http://127.0.0.1:9'], 'No service answers at http://127.0.0.1:9')
    const authorizations: (string | undefined)[] = []
    const other = createServer(({ headers }, response) => {
      authorizations.push(headers.authorization)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expectRefused(account, ['--base-url', url], `${url} is not this service`)
    other.close()
    expect(authorizations).toEqual([undefined])
  })

  it('refuses the address of a person of the account', async () => {
    const account = await newAccount('known-address')
    await expectRefused(account, argsOf('--passcode-email', 'ADA@example.com'), 'ADA@example.com belongs to Ada')
  })

  it('refuses an alarm that cannot be tested', async () => {
    const account = await newAccount('wrong-alarm')
    const alarms = [
      { ...alarm(), AlarmName: 'Silent', AlarmActions: [] },
      { ...alarm(), AlarmName: 'Ringing', StateValue: 'ALARM' },
    ]
    const cloudWatch = await startCloudWatch(alarms)
    const variables = awsVariables(cloudWatch.url)
    await expectRefused(account, argsOf('--alarm', 'None'), 'there is no metric alarm None', variables)
    await expectRefused(account, argsOf('--alarm', 'Silent'), 'Silent has no action', variables)
    await expectRefused(account, argsOf('--alarm', 'Ringing'), 'Ringing is in ALARM already', variables)
    expect(cloudWatch.states).toEqual([])
    cloudWatch.close()
  })
})
