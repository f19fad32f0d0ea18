import { beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { loadEntities } from '#test/support/operations/entities.ts'
import { callTo, deployedRoles, onTable } from '#test/support/service/deployed-roles.ts'

/** Collections with secrets that readers are allowed to read. All other secrets are encrypted. */
const shown = ['v0_configurations', 'v0_devices']
/** Roles of read operations that return no secrets. */
const ordinary = ['Reader', 'ReaderOfLogs']
const reads = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem', 'PartiQLSelect']

let deployed: Awaited<ReturnType<typeof deployedRoles>>
beforeAll(async () => {
  deployed = await deployedRoles()
})

/** Returns whether a role can read a key's partition, either alone or together with a partition that the role may read. */
const canRead = (role: string, key: string): boolean =>
  reads.some((action) =>
    [[key], ['accounts', key]].some((keys) => deployed.allowed(onTable(action, ...keys)).includes(role)),
  )

describe('a stored secret of a provider or a directory', () => {
  const may = (action: string) => deployed.allowed(callTo(`kms:${action}`, 'secret key'))

  it('is decrypted only by sign-in callbacks and synchronisation, and encrypted only by writers', () => {
    expect(may('Decrypt')).toEqual(['Callback', 'Sync'])
    expect(may('GenerateDataKey')).toEqual(['Writer'])
  })

  it.each([
    'Encrypt',
    'ReEncryptFrom',
    'ReEncryptTo',
    'CreateGrant',
    'PutKeyPolicy',
    'DisableKey',
    'ScheduleKeyDeletion',
  ])('has a key on which no role may %s', (action) => {
    expect(may(action)).toEqual([])
  })

  it('is decrypted by no reading or anonymous function except sign-in callbacks', async () => {
    for (const { file } of await loadOperations()) {
      const role = deployed.rights.functions.get(file)?.role
      const isCallback = /^sign-in\/open-id\/complete-sign-in/.test(file)
      expect(may('Decrypt').includes(role ?? ''), file).toBe(isCallback)
    }
    for (const [file, { role }] of deployed.rights.functions)
      if (/^(public|live|streams|tasks)\//.test(file)) expect(may('Decrypt'), file).not.toContain(role)
  })

  it.each([
    ['a session', ['log.session#2026-11-22', 'portal_sessions', 'client_tokens']],
    ['an identity', ['external_identities', 'unique.external_identities.x']],
    ['a commit', ['commits', 'version']],
    ['a secret', Object.values(authProviders).map(({ name }) => name)],
  ])('is decrypted by sign-in callbacks, which write no part of %s', (_what, keys) => {
    for (const key of keys)
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate', 'BatchWriteItem'])
        expect(deployed.allowed(onTable(action, key)), `${action} ${key}`).not.toContain('Callback')
  })
})

describe('a read of the account API', () => {
  it.each(shown)('reads no row of %s, which contains secrets, with the ordinary reader role', (name) => {
    for (const key of [name, `${name}.name#x`]) {
      for (const role of ordinary) expect(canRead(role, key), `${role} ${key}`).toBe(false)
      expect(canRead('SecretReader', key), key).toBe(true)
    }
  })

  it('reads tokens of gateways only with the ordinary reader role, to show which gateways are online (P1.7)', () => {
    const readers = ['Reader', 'ReaderOfLogs', 'ReaderOfSessions', 'SecretReader'].filter((role) =>
      canRead(role, 'gateway_tokens'),
    )
    expect(readers).toEqual(['Reader'])
  })

  it('reads portal sessions, which authenticate administrators, but finds those of an actor with one role only', () => {
    for (const role of [...ordinary, 'SecretReader', 'ReaderOfSessions']) {
      expect(canRead(role, 'portal_sessions'), role).toBe(true)
      expect(canRead(role, 'portal_sessions.actor_id#x'), role).toBe(role === 'ReaderOfSessions')
      expect(canRead(role, 'portal_sessions.auth_provider_id#x'), role).toBe(false)
    }
  })

  it('lists portal sessions with a role that reads no other rows except those of the caller', async () => {
    const names = [...(await loadEntities()).keys()].filter((name) => canRead('ReaderOfSessions', name))
    expect(names).toEqual(['accounts', 'actors', 'api_tokens', 'portal_sessions'])
    for (const key of ['api_tokens.actor_id#x', 'commits', 'version', 'log.session#2026-11-22', 'unique.actors.x#y'])
      expect(canRead('ReaderOfSessions', key), key).toBe(false)
    for (const action of ['Scan', 'PutItem', 'UpdateItem', 'DeleteItem'])
      expect(deployed.allowed(onTable(action, 'portal_sessions')), action).not.toContain('ReaderOfSessions')
  })

  it.each(['passcodes', 'sign_in.pending', 'sign_in.code', 'idempotency#x'])(
    'reads nothing of %s with any role',
    (key) => {
      for (const role of [...ordinary, 'ReaderOfSessions', 'SecretReader']) expect(canRead(role, key), role).toBe(false)
    },
  )

  it('reads no code of a local server with the roles of sign-in (K2.7)', () => {
    for (const role of ['SignIn', 'Callback']) expect(canRead(role, 'sign_in.local'), role).toBe(false)
  })

  it('reads every other collection with the ordinary reader role', async () => {
    const others = [...(await loadEntities()).keys()].filter((name) => !shown.includes(name))
    expect(others.length).toBeGreaterThan(15)
    expect(others.filter((name) => !canRead('Reader', name))).toEqual([])
  })

  it('reads secrets with a role that reads no other rows except those of the caller', async () => {
    const entities = [...(await loadEntities()).keys()].filter((name) => !shown.includes(name))
    expect(entities.filter((name) => canRead('SecretReader', name))).toEqual([
      'accounts',
      'actors',
      'api_tokens',
      'portal_sessions',
    ])
    expect(deployed.allowed(onTable('Scan'))).not.toContain('SecretReader')
  })

  it.each(['SecretReader', 'ReaderOfSessions'])('writes only request log, last use and rate with %s', async (role) => {
    const keys = [
      ...(await loadEntities()).keys(),
      'version',
      'commits',
      'presence.clients',
      'unique.x#y',
      'sync.runs#x',
    ]
    for (const key of keys) {
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'])
        expect(deployed.allowed(onTable(action, key)), `${action} ${key}`).not.toContain(role)
    }
    for (const key of ['presence.api_tokens', 'presence.actors', 'rate.account'])
      expect(deployed.allowed(onTable('UpdateItem', key)), key).toContain(role)
  })

  it('uses the role that its collection requires', async () => {
    const roleOf = (file: string) => deployed.rights.functions.get(file)?.role
    const reading = (await loadOperations()).filter(({ file }) => /Reader/.test(roleOf(file) ?? ''))
    const ofSecrets = (path: string) =>
      shown.some((name) => new RegExp(`^/${name.replace(/^v0_/, 'v0/').replace(/s$/, 's?')}(/|$)`).test(path))
    const bySecret = Map.groupBy(reading, ({ operation }) => ofSecrets(operation.path))
    expect(bySecret.get(true)?.length).toBeGreaterThan(shown.length)
    expect(bySecret.get(false)?.length).toBeGreaterThan(20)
    for (const [secret, members] of bySecret) {
      for (const { file, operation } of members) {
        const ofSessions = operation.path.endsWith('/portal_sessions') ? 'ReaderOfSessions' : 'Reader'
        const expected = /^\/logs(\/|$)/.test(operation.path) ? 'ReaderOfLogs' : ofSessions
        expect(roleOf(file), file).toBe(secret ? 'SecretReader' : expected)
      }
    }
    expect(reading.filter(({ file }) => roleOf(file) === 'ReaderOfLogs').length).toBeGreaterThan(3)
  })
})
