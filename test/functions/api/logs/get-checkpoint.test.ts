import { expect, it } from 'vitest'
import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as sealPub } from '#functions/public/seal-pub.ts'
import { emptyRoot } from '#shared/seal/merkle/merkle-proof.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { sealNow } from '#test/support/seal/sealing.ts'

it('returns the empty tree before the first seal, with Retry-After', async () => {
  const { account, changes, checkpoint, proof } = await newSealedAccount()
  expect(await checkpoint()).toEqual({
    log: 'changes',
    origin: `access.example.com/${account.id}/changes`,
    size: 0,
    root: emptyRoot().toString('base64'),
    signed_at: null,
    note: null,
    verifier_key: (await call(sealPub, { method: 'GET', path: '/seal.pub' })).text.trim(),
    follows: null,
  })
  const [newest] = await changes()
  const { status, body, headers } = await proof(newest?.log_id ?? '')
  expect([status, body.code]).toEqual([409, 'not_sealed_yet'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

it('returns two logs, no proof of a flow, and nothing of another account', async () => {
  const { account, get, changes } = await newSealedAccount()
  await sealNow(account.id)
  const [newest] = await changes()
  const other = await newAccount()
  const log_id = newest?.log_id ?? ''
  for (const [handler, params] of [
    [getCheckpoint, { log: 'flows' }],
    [getConsistency, { log: 'change' }],
    [getProof, { log_id: `f${log_id.slice(1)}` }],
    [getProof, { log_id: `${log_id.slice(0, -1)}f` }],
  ] as const) {
    expect((await get(handler, params)).status).toBe(404)
  }
  expect((await other.call(getProof, { method: 'GET', params: { log_id } })).status).toBe(404)
  expect((await get(getProof, { log_id: account.id })).status).toBe(400)
})
