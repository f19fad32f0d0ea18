import { describe, expect, it } from 'vitest'
import { handler as listExternalIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import { commit } from '#shared/commit/commit.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens, mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { directoryKinds } from '#shared/domain/directories/directory.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { groups } from '#shared/domain/groups/group.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { type Account, type Answer, newAccount } from '#test/support/accounts/account.ts'
import { actorsApi, groupsApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'

const group = (on: Account, directory_id: string, name: string) =>
  insertSyncedGroup(on, { name, directory_id, entity_type: 'group', idp_id: name })

describe.each(directoryKinds)('DELETE /%s_directories/{id} (A26)', (kind) => {
  it('returns the deleted directory, then 404, and frees its name', async () => {
    const ownAccount = await newAccount()
    const directory = await directoriesApi[kind].createAndGet(ownAccount)
    expect((await directoriesApi[kind].remove(ownAccount, directory.id)).body).toEqual({ data: directory })
    expect((await directoriesApi[kind].remove(ownAccount, directory.id)).status).toBe(404)
    expect((await directoriesApi[kind].get(ownAccount, directory.id)).status).toBe(404)
    expect((await directoriesApi[kind].create(ownAccount, { name: directory.name })).status).toBe(201)
  })

  it('returns 404 for a directory of another kind', async () => {
    const ownAccount = await newAccount()
    const { id } = await directoriesApi[kind].createAndGet(ownAccount)
    for (const other of directoryKinds.filter((other) => other !== kind)) {
      expect((await directoriesApi[other].remove(ownAccount, id)).status).toBe(404)
    }
  })
})

describe('the deletion of a directory (A26.2, A29)', () => {
  it('deletes its groups, its identities and the actors it created', async () => {
    const ownAccount = await newAccount()
    const { id } = await directoriesApi.tenant.createAndGet(ownAccount)
    const created: ActorRow[] = []
    for (let i = 0; i < 25; i++) {
      const fields = { type: 'account_user', email: `user-${i}@example.com`, created_by_directory_id: id } as const
      created.push(await insertActor(ownAccount.id, fields))
    }
    for (const actor of created.slice(0, 3)) await insertIdentity(ownAccount.id, actor.id, { directory_id: id })
    const found = await insertActor(ownAccount.id, { type: 'account_user', email: 'found@example.com' })
    await insertIdentity(ownAccount.id, found.id, { directory_id: id, issuer: 'https://found.example.com' })
    for (let i = 0; i < 25; i++) await group(ownAccount, id, `Group ${i}`)
    expect((await directoriesApi.tenant.remove(ownAccount, id)).status).toBe(200)
    await followUpAll(ownAccount.id)
    const names = (answer: Answer) => answer.body.data.map(({ name }: { name: string }) => name)
    expect(names(await groupsApi.list(ownAccount))).toEqual(['Everyone'])
    expect(names(await actorsApi.list(ownAccount)).sort()).toEqual(['Ada', 'Provisioning', 'Robot'])
    const params = { actor_id: found.id }
    expect((await ownAccount.call(listExternalIdentities, { params })).body.data).toEqual([])
  })

  it('ends all its access before the response, and deletes the other rows later with the same subject', async () => {
    const ownAccount = await newAccount()
    const { id } = await directoriesApi.idp.createAndGet(ownAccount)
    const created: ActorRow[] = []
    for (let i = 0; i < 60; i++) {
      const fields = { type: 'account_user', email: `user-${i}@example.com`, created_by_directory_id: id } as const
      created.push(await insertActor(ownAccount.id, fields))
    }
    const admin = await insertActor(ownAccount.id, {
      type: 'account_admin_user',
      email: 'second@example.com',
      created_by_directory_id: id,
    })
    const found = await insertActor(ownAccount.id, { type: 'account_user', email: 'found@example.com' })
    const issuer = 'https://idp.example.com'
    await insertIdentity(ownAccount.id, found.id, { directory_id: id, issuer })
    const provider = await insertRow(ownAccount.id, authProviders.idp, { issuer, name: 'Idp' } as never)
    // Gives tokens to actors on two pages. Deleting these tokens takes more than one commit.
    const holders = [...created.slice(0, 12), ...created.slice(48), found]
    for (const { id: holder } of holders) {
      const fields = { expires_at: '2999-01-01T00:00:00.000000Z', auth_provider_id: provider.id }
      await commit({ accountId: ownAccount.id, subject: null }, (transaction) =>
        mintClientToken(transaction, holder, fields),
      )
    }
    const synced = await group(ownAccount, id, 'Synced')
    const policy = await insertRow(ownAccount.id, policies, {
      group_id: synced.id,
      resource_id: ownAccount.id,
      conditions: [],
      is_disabled: false,
    } as never)

    expect((await directoriesApi.idp.remove(ownAccount, id)).status).toBe(200)
    expect((await directoriesApi.idp.get(ownAccount, id)).status).toBe(404)
    for (const { id: holder } of holders) {
      expect(await rowsBy(clientTokens, ownAccount.id, 'actor_id', holder)).toEqual([])
    }
    expect(await getRow(policies, ownAccount.id, policy.id)).toMatchObject({ group_id: null })
    expect(await getRow(actors, ownAccount.id, admin.id)).toBeNull()
    expect((await rowsBy(actors, ownAccount.id, 'created_by_directory_id', id)).length).toBeGreaterThan(0)

    await followUpAll(ownAccount.id)
    expect(await rowsBy(actors, ownAccount.id, 'created_by_directory_id', id)).toEqual([])
    expect(await rowsBy(groups, ownAccount.id, 'directory_id', id)).toEqual([])
    expect(await rowsBy(externalIdentities, ownAccount.id, 'directory_id', id)).toEqual([])
    expect(await getRow(actors, ownAccount.id, found.id)).not.toBeNull()
    const deletions = (await readCommits(ownAccount.id)).flatMap(({ subject, changes }) =>
      changes.filter(({ operation }) => operation === 'delete').map(({ object }) => ({ object, subject })),
    )
    expect(deletions.filter(({ object }) => object === 'actors')).toHaveLength(61)
    expect(deletions.filter(({ object }) => object === 'client_tokens')).toHaveLength(25)
    expect(new Set(deletions.map(({ subject }) => subject?.actor_id))).toEqual(new Set([ownAccount.apiClient.id]))
  })

  it('refuses to delete the acting actor and the last administrator', async () => {
    const ownAccount = await newAccount()
    const { id } = await directoriesApi.suite.createAndGet(ownAccount)
    const client = await getRow(actors, ownAccount.id, ownAccount.apiClient.id)
    const admin = await getRow(actors, ownAccount.id, ownAccount.admin.id)
    if (!client || !admin) throw new Error('They are gone.')
    await updateRow(ownAccount.id, actors, client, { created_by_directory_id: id })
    expect((await directoriesApi.suite.remove(ownAccount, id)).body.code).toBe('own_actor')
    await updateRow(
      ownAccount.id,
      actors,
      { ...client, created_by_directory_id: id },
      { created_by_directory_id: null },
    )
    await updateRow(ownAccount.id, actors, admin, { created_by_directory_id: id })
    expect((await directoriesApi.suite.remove(ownAccount, id)).body.code).toBe('last_admin')
    await insertActor(ownAccount.id, { type: 'account_admin_user', email: 'second@example.com' })
    expect((await directoriesApi.suite.remove(ownAccount, id)).status).toBe(200)
  })
})
