import { expect, it } from 'vitest'
import { handler as createProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { finishFollowUp } from '#shared/jobs/follow-up/finish-follow-up.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { insertMdmDevice } from '#test/support/accounts/mdm-devices.ts'
import { actorRow, insertRow } from '#test/support/accounts/rows.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'

/** Covers commit records whose follow-up items name objects that were not deleted (docs/decisions/0012). */
it('deletes nothing below an existing object, even if a record requests it', async () => {
  const { account, site, resource, group, actor } = await newAccessWorld([], { features: { idp_sync: true } })
  await newV0Device(account)
  const [user] = await queryItems<{ pk: string; sk: string }>(partition(account.id, 'v0_users'))
  const suite = (await directoriesApi.suite.create(account)).body.data.id
  await insertRow(account.id, actors, { ...actorRow, created_by_directory_id: suite })
  const made = await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
  await insertMdmDevice(account, 'one', { posture_provider_id: made.body.data.id })
  const rows = async () => {
    const names = [
      'actors',
      'client_tokens',
      'mdm_devices',
      'policies',
      'resources',
      'v0_devices',
      `memberships.members#${group.id}`,
    ]
    const counted = names.map(async (name) => [name, (await queryItems(`${account.id}#${name}`)).length] as const)
    return Object.fromEntries(await Promise.all(counted))
  }
  const before = await rows()
  expect(Object.values(before).every((count) => count > 0)).toBe(true)
  const author = { accountId: account.id, subject: null }
  for (const [below, id] of [
    ['accounts', uuidV7(Date.now() * 1_000 + 1_000_000)],
    ['actors', actor.id],
    ['groups', group.id],
    ['mdm_posture_providers', made.body.data.id],
    ['resources', resource.id],
    ['sites', site.id],
    ['suite_directories', suite],
    ['v0_users', user?.sk ?? ''],
  ] as const) {
    await finishFollowUp(author, { below, id }, 10_000)
    expect(await rows(), below).toEqual(before)
  }
})
