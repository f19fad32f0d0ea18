import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { commit } from '#shared/commit/commit.ts'
import { mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'

const { create, get, remove } = postureProvidersApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('DELETE /mdm_posture_providers/{id} (A28.1)', () => {
  it('deletes its devices, without log entries', async () => {
    const ownAccount = await newAccount()
    const provider = (await create(ownAccount, mdmFields())).body.data
    for (let at = 0; at < 80; at += 20) {
      await commit({ accountId: ownAccount.id, subject: null }, async (transaction) => {
        for (let i = at; i < at + 20; i++) {
          transaction.insert(mdmDevices, {
            account_id: ownAccount.id,
            posture_provider_id: provider.id,
            mdm_id: `vendor-${i}`,
            synced_at: '2026-01-01T00:00:00.000000Z',
            tags: null,
            device_action_results: null,
          })
        }
      })
    }
    expect((await ownAccount.call(listDevices)).body.metadata.total).toBe(80)
    const answer = await remove(ownAccount, provider.id)
    expect(answer.body.data).toEqual(provider)
    await followUpAll(ownAccount.id)
    expect((await ownAccount.call(listDevices)).body.metadata.total).toBe(0)
    const objects = (await readCommits(ownAccount.id)).flatMap(({ changes }) => changes.map(({ object }) => object))
    expect(objects).not.toContain('mdm_devices')
  })

  it('returns the deleted provider, then 404, and frees its name', async () => {
    const provider = (await create(account, mdmFields())).body.data
    expect((await remove(account, provider.id)).body).toEqual({ data: provider })
    expect((await remove(account, provider.id)).status).toBe(404)
    expect((await get(account, provider.id)).status).toBe(404)
    expect((await create(account, mdmFields({ name: provider.name }))).status).toBe(201)
  })
})
