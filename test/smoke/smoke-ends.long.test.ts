import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startCloudWatch } from './cloud-watch.ts'
import { startProxy } from './proxy.ts'
import { runSmoke, startSmoke } from './smoke-process.ts'
import {
  type Account,
  adminToken,
  alarm,
  argsOf,
  awsVariables,
  enough,
  expectAsBefore,
  newAccount,
  objectsOf,
  running,
  variablesOf,
  withService,
} from './smoke-world.ts'

withService()

describe('a run that is ended by a signal', () => {
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

  it('leaves nothing behind after a Ctrl-C that npm forwards again', async () => {
    const account = await newAccount('twice')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +gateway/m)
    smoke.child.kill('SIGINT')
    await smoke.printed('SIGINT: deleting what this run has created')
    smoke.child.kill('SIGINT')
    const { code, outcomes } = await smoke.ended()
    expect([code, outcomes['clean-up']]).toEqual([1, 'ok'])
    await expectAsBefore(account.token, before)
  })

  it('ends and cleans up when its output is closed', async () => {
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

  it('leaves objects after SIGKILL that the next run names, and --clean-up deletes', async () => {
    const account = await newAccount('sigkill')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +client/m)
    smoke.child.kill('SIGKILL')
    await smoke.ended()
    const remaining = await objectsOf(account.token)
    expect(remaining).not.toEqual(before)

    const next = await runSmoke(argsOf(), variablesOf(account))
    expect([next.code, next.stdout]).toEqual([2, ''])
    expect(next.stderr).toMatch(
      /^A run that started \d minutes ago is in progress or was interrupted\. .*--clean-up\.\n$/,
    )
    expect(await objectsOf(account.token)).toEqual(remaining)

    const { code, outcomes } = await runSmoke(argsOf('--clean-up'), variablesOf(account))
    expect([code, outcomes]).toEqual([0, { account: 'ok', 'clean-up': 'ok' }])
    await expectAsBefore(account.token, before)
  })

  it('leaves objects after SIGKILL that a run half an hour later deletes', async () => {
    const account = await newAccount('half-an-hour')
    const before = await objectsOf(account.token)
    const smoke = startSmoke(argsOf(), variablesOf(account))
    await smoke.printed(/^ok +group/m)
    smoke.child.kill('SIGKILL')
    await smoke.ended()
    const later = 'data:text/javascript,const now = Date.now; Date.now = () => now() + 1_860_000'
    const variables = { NODE_OPTIONS: `--import="${later}"` }
    const { code, outcomes, stdout } = await runSmoke(argsOf(), variablesOf(account, variables))
    expect([code, outcomes.leftovers, outcomes.changes], stdout).toEqual([0, 'ok', 'ok'])
    await expectAsBefore(account.token, before)
  })
})

describe('a run that cannot begin', () => {
  /** Expects exit code 2, one sentence on stderr, and no change to the account. */
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

  it('refuses a token without an option, and does not print it', async () => {
    const account = await newAccount('lost-option')
    await expectRefused(account, argsOf(account.token), "Unexpected argument '[token]'.")
  })

  it('refuses an invalid token', async () => {
    const account = await newAccount('wrong-token')
    await expectRefused({ ...account, token: `${account.token}x` }, argsOf(), 'The token is not a valid API token of')
  })

  it('refuses an address without a service, and one of another service', async () => {
    const account = await newAccount('wrong-address')
    await expectRefused(account, ['--base-url', 'http://127.0.0.1:9'], 'No service responds at http://127.0.0.1:9')
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

  it('leaves the objects of a concurrent run unchanged', async () => {
    const account = await newAccount('same-time')
    const other = startSmoke(argsOf('--passcode-email', 'first@example.org'), variablesOf(account))
    await other.printed('A passcode was mailed')
    const before = await objectsOf(account.token)
    // Returns an empty list in the first response for each collection, as if it was read before the other run created objects.
    const hidden = new Set<string>()
    const proxy = await startProxy(running().baseUrl, {
      rewrites: (path, body) => {
        if (!/^\/[a-z_]+\?name=/.test(path) || hidden.has(path)) return body
        hidden.add(path)
        return '{"data":[]}'
      },
    })
    const { code, outcomes, stderr } = await runSmoke(['--base-url', proxy.url], variablesOf(account))
    proxy.close()
    expect(hidden.size).toBe(4)
    expect([code, outcomes]).toEqual([2, { account: 'ok', site: 'failed' }])
    expect(stderr).toBe('Another run started at the same time. Nothing was created. Try again when it has ended.\n')
    expect(await objectsOf(account.token)).toEqual(before)
    other.child.kill('SIGINT')
    expect((await other.ended()).outcomes['clean-up']).toBe('ok')
  })

  it('refuses the email address of an existing person', async () => {
    const account = await newAccount('known-address')
    await expectRefused(
      account,
      argsOf('--passcode-email', 'ADA@example.com'),
      'ADA@example.com belongs to the actor Ada',
    )
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
    await expectRefused(account, argsOf('--alarm', 'Ringing'), 'Ringing is already in ALARM', variables)
    expect(cloudWatch.states).toEqual([])
    cloudWatch.close()
  })
})
