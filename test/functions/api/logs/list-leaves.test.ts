import { expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { canonicalJson } from '#shared/seal/canonical-json.ts'
import { leafHash } from '#shared/seal/merkle-hash.ts'
import { bytes, newSealedAccount } from '#test/support/sealed-account.ts'
import { sealNow } from '#test/support/sealing.ts'

it('answers the hashes of the leaves in their order, at most 10,000 at once', async () => {
  const { account, get, changes, checkpoint } = await newSealedAccount()
  await sealNow(account.id)
  const { size } = await checkpoint()
  const { hashes } = (await get(listLeaves, { log: 'changes' }, { from: '0', to: String(size) })).body.data
  const all = (await changes()).reverse()
  for (const [i, { log_id }] of all.entries()) {
    const { data } = (await get(getLog, { log_id })).body
    expect(bytes(hashes).subarray(i * 32, i * 32 + 32)).toEqual(leafHash(canonicalJson(data)))
  }
  const one = (await get(listLeaves, { log: 'changes' }, { from: '1', to: '2' })).body.data
  expect(bytes(one.hashes)).toEqual(bytes(hashes).subarray(32, 64))
  expect((await get(listLeaves, { log: 'changes' }, { from: '2', to: '2' })).body.data.hashes).toBe('')
})
