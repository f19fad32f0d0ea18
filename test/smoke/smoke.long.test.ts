import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { walkSteps } from '#infra/smoke/walk.ts'
import { parseVerifierKey, verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { runLocal } from '#test/support/service/service.ts'
import { startCloudWatch } from './cloud-watch.ts'
import { startProxy } from './proxy.ts'
import { mailedPasscode, runSmoke, startSmoke } from './smoke-process.ts'
import {
  adminToken,
  alarm,
  allOf,
  argsOf,
  awsVariables,
  enough,
  expectAsBefore,
  newAccount,
  objectsOf,
  running,
  topic,
  variablesOf,
  withService,
} from './smoke-world.ts'

withService()

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
    const passcode = await mailedPasscode(running().dataDir, email)
    smoke.child.stdin.write(`222222\n${passcode.toLowerCase()}\n`)
    await smoke.printed(/^ok +sign-in/m)
    await runLocal('seal', [], { DATA_DIR: running().dataDir })
    const { code, stdout, stderr, lines, outcomes } = await smoke.ended()
    cloudWatch.close()

    expect(outcomes, stdout + stderr).toEqual(
      allOf(['account', ...walkSteps, 'sign-in', 'checkpoint', 'alarm', 'clean-up'], 'ok'),
    )
    expect(code).toBe(0)
    expect(lines.filter((line) => !/^ok {7}[a-z-]+ +\S.* \(\d+ ms\)$/.test(line))).toEqual([])
    expect(stdout).toMatch(/^ok +checkpoint .*it includes an entry of this run/m)
    expect(stdout).toMatch(/\n16 ok, 0 failed, 0 skipped, in [\d.]+ s\n$/)
    expect(cloudWatch.states).toEqual(['ALARM', 'OK'])
    for (const secret of [account.token, passcode, /\bna[acgp]_/]) expect(stdout + stderr).not.toMatch(secret)
    await expectAsBefore(admin, before)
  })

  it('reports skipped steps, and does not count them as ok', async () => {
    const account = await newAccount('skips')
    const { code, outcomes, stdout } = await runSmoke(argsOf('--token', account.token))
    expect(outcomes).toEqual({
      ...allOf(['account', ...walkSteps, 'clean-up'], 'ok'),
      ...allOf(['sign-in', 'checkpoint', 'alarm'], 'skipped'),
    })
    expect(stdout).toContain('13 ok, 0 failed, 3 skipped (sign-in, checkpoint, alarm)')
    expect([code, stdout.includes(account.token)]).toEqual([0, false])
  })

  it('waits if the account is throttled', async () => {
    const account = await newAccount('throttled', { limits: { api_refill_rate: 5, api_capacity: 10 } })
    const { outcomes, stdout } = await runSmoke(argsOf(), variablesOf(account))
    expect(outcomes, stdout).toMatchObject(allOf(['account', ...walkSteps, 'clean-up'], 'ok'))
  })

  it('creates nothing twice if a response is lost', async () => {
    const account = await newAccount('lost-answers')
    const proxy = await startProxy(running().baseUrl)
    const { outcomes, stdout } = await runSmoke(['--base-url', proxy.url], variablesOf(account))
    proxy.close()
    expect(proxy.lost.length).toBeGreaterThan(8)
    expect(outcomes, stdout).toMatchObject(allOf(['account', ...walkSteps, 'clean-up'], 'ok'))
  })
})

describe('a step that fails', () => {
  it('ends the walk, runs the independent steps, and leaves nothing behind', async () => {
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

  it('is the clean-up if an object cannot be deleted, and names the object', async () => {
    const account = await newAccount('denied')
    const before = await objectsOf(account.token)
    const proxy = await startProxy(running().baseUrl, {
      denies: (method, path) => method === 'DELETE' && path.startsWith('/groups/'),
    })
    const { code, stdout } = await runSmoke(['--base-url', proxy.url], variablesOf(account))
    proxy.close()
    expect(stdout).toMatch(/^failed +clean-up +not deleted: group [0-9a-f-]{36} \(403 forbidden: Denied\.\)/m)
    expect(code).toBe(1)
    const remaining = await objectsOf(account.token)
    expect(remaining).toEqual({ ...before, groups: expect.any(Array) })
    expect(remaining.groups).toHaveLength((before.groups?.length ?? 0) + 1)
    await runSmoke(argsOf('--clean-up'), variablesOf(account))
    await expectAsBefore(account.token, before)
  })

  it('is the sign-in if no passcode arrives', async () => {
    const account = await newAccount('no-passcode')
    const before = await objectsOf(account.token)
    const { code, stdout } = await runSmoke(argsOf('--passcode-email', 'nobody@example.org'), variablesOf(account))
    expect(stdout).toMatch(/^failed +sign-in +no passcode was entered/m)
    expect(code).toBe(1)
    await expectAsBefore(account.token, before)
  })

  it('is the alarm if its topic refuses CloudWatch, and the alarm is reset', async () => {
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

  it('is the checkpoint if its key or the included entry differs', async () => {
    const account = await newAccount('tampered')
    await runLocal('seal', [], { DATA_DIR: running().dataDir })
    const { publicKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
    const anotherKey = (body: string) => verifierKeyText({ name: parseVerifierKey(body).name, publicKey: raw })
    const keys = await startProxy(running().baseUrl, {
      rewrites: (path, body) => (path === '/seal.pub' ? anotherKey(body) : body),
    })
    const first = await runSmoke(['--base-url', keys.url], variablesOf(account))
    keys.close()
    expect([first.code, first.outcomes.checkpoint]).toEqual([1, 'failed'])
    expect(first.stdout).toContain('the checkpoint names another key than /seal.pub')

    const entries = await startProxy(running().baseUrl, {
      rewrites: (path, body) =>
        path.startsWith('/logs?type=change') ? body.replaceAll('"insert"', '"insert","x":1') : body,
    })
    const smoke = startSmoke(['--base-url', entries.url, '--wait-for-seal'], variablesOf(account))
    smoke.child.stdin.end()
    await smoke.printed(/^skipped +sign-in/m)
    await runLocal('seal', [], { DATA_DIR: running().dataDir })
    const second = await smoke.ended()
    entries.close()
    expect(second.stdout).toMatch(/^failed +checkpoint +the checkpoint of size \d+ does not include \S+/m)
    expect(second.code).toBe(1)
  })
})
