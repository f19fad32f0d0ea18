import { beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { sealedRows } from '#shared/jobs/secret-rotation/sealed-rows.ts'
import { loadEntities } from '#test/support/operations/entities.ts'
import { deployedRoles, onTable } from '#test/support/service/deployed-roles.ts'

const reads = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem', 'PartiQLSelect']

let deployed: Awaited<ReturnType<typeof deployedRoles>>
beforeAll(async () => {
  deployed = await deployedRoles()
})

/** True for a role that may read a partition, by any action, alone or beside a row that it may read. */
const canRead = (role: string, key: string): boolean =>
  reads.some((action) =>
    [[key], ['accounts', key]].some((keys) => deployed.allowed(onTable(action, ...keys)).includes(role)),
  )

describe('a read of the account API', () => {
  it.each([...sealedRows.keys()])(
    'reads no row of %s, which holds sealed secrets, with the role of all others',
    (name) => {
      for (const key of [name, `${name}.name#x`]) {
        expect(canRead('Reader', key), key).toBe(false)
        expect(canRead('SecretReader', key), key).toBe(true)
      }
    },
  )

  it.each(['portal_sessions', 'gateway_tokens', 'passcodes', 'sign_in.pending', 'sign_in.code', 'idempotency#x'])(
    'reads nothing of %s with either role',
    (key) => {
      expect(canRead('Reader', key)).toBe(false)
      expect(canRead('SecretReader', key)).toBe(false)
    },
  )

  it('reads every other collection with the role of all others', async () => {
    const secret = [...sealedRows.keys(), 'portal_sessions', 'gateway_tokens']
    const others = [...(await loadEntities()).keys()].filter((name) => !secret.includes(name))
    expect(others.length).toBeGreaterThan(15)
    expect(others.filter((name) => !canRead('Reader', name))).toEqual([])
  })

  it('reads secrets with a role that reads no other rows than those who is asking is known by', async () => {
    const entities = [...(await loadEntities()).keys()].filter((name) => !sealedRows.has(name))
    expect(entities.filter((name) => canRead('SecretReader', name))).toEqual(['accounts', 'actors', 'api_tokens'])
    expect(deployed.allowed(onTable('Scan'))).not.toContain('SecretReader')
  })

  it('writes nothing more with that role than the entry of its request, last use and rate', async () => {
    const keys = [...(await loadEntities()).keys(), 'head', 'commits', 'live.clients', 'unique.x#y', 'sync.runs#x']
    for (const key of keys) {
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'])
        expect(deployed.allowed(onTable(action, key)), `${action} ${key}`).not.toContain('SecretReader')
    }
    for (const key of ['live.api_tokens', 'live.actors', 'rate.account'])
      expect(deployed.allowed(onTable('UpdateItem', key)), key).toContain('SecretReader')
  })

  it('has the role that its collection asks for', async () => {
    const roleOf = (file: string) => deployed.rights.functions.get(file)?.role
    const reading = (await loadOperations()).filter(({ file }) => /Reader$/.test(roleOf(file) ?? ''))
    const bySecret = Map.groupBy(reading, ({ operation: { path } }) =>
      [...sealedRows.keys()].some((name) =>
        new RegExp(`^/${name.replace(/^v0_/, 'v0/').replace(/s$/, 's?')}(/|$)`).test(path),
      ),
    )
    expect(bySecret.get(true)?.length).toBeGreaterThan(sealedRows.size)
    expect(bySecret.get(false)?.length).toBeGreaterThan(20)
    for (const [secret, members] of bySecret)
      for (const { file } of members) expect(roleOf(file), file).toBe(secret ? 'SecretReader' : 'Reader')
  })
})
