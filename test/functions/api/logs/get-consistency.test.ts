import { expect, it } from 'vitest'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { provesConsistency } from '#shared/seal/merkle/merkle-proof.ts'
import { bytes, changeSites, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { sealNow } from '#test/support/seal/sealing.ts'

it('proves an entry for an earlier checkpoint, and that the newer one extends it', async () => {
  const { account, get, changes, checkpoint, proof } = await newSealedAccount()
  await sealNow(account.id)
  const older = await checkpoint()
  await changeSites(account.id, 2)
  await sealNow(account.id)
  const newer = await checkpoint()
  const [newest, second, ...rest] = await changes()
  const oldest = rest.at(-1)?.log_id ?? ''
  const { body } = await proof(oldest, { size: String(older.size) })
  expect(body.data).toMatchObject({ leaf_index: 0, size: older.size, root: older.root, note: older.note })
  const sizes = { from: String(older.size), to: String(newer.size) }
  const { data } = (await get(getConsistency, { log: 'changes' }, sizes)).body
  expect(data).toMatchObject({ from: older.size, to: newer.size })
  const [from, to] = [older, newer].map(({ size, root }) => ({ size, root: bytes(root) })) as [never, never]
  expect(provesConsistency(from, to, data.path.map(bytes))).toBe(true)
  const faults: [typeof getProof, Record<string, string>, object, string][] = [
    [getProof, { log_id: oldest }, { size: String(older.size - 1) }, 'size must be the size of a checkpoint.'],
    [getProof, { log_id: oldest }, { size: 'x' }, 'size must be a number of leaves.'],
    [
      getProof,
      { log_id: newest?.log_id ?? '' },
      { size: String(older.size) },
      'size must be the size of a checkpoint that covers the entry.',
    ],
    // Requests a proof of the first leaf that the older checkpoint does not cover.
    [
      getProof,
      { log_id: second?.log_id ?? '' },
      { size: String(older.size) },
      'size must be the size of a checkpoint that covers the entry.',
    ],
    [getProof, { log_id: oldest }, { size: '1'.repeat(16) }, 'size must be a number of leaves.'],
    [getConsistency, { log: 'changes' }, {}, 'from and to must be sizes of checkpoints.'],
    [getConsistency, { log: 'changes' }, { from: sizes.to, to: sizes.from }, 'from must not be above to.'],
    [getConsistency, { log: 'changes' }, { from: '1', to: sizes.to }, 'from and to must be sizes of checkpoints.'],
    ...[{ from: '0', to: String(newer.size + 1) }, { from: '2', to: '1' }, { from: '0' }].map(
      (range): (typeof faults)[0] => [
        listLeaves,
        { log: 'changes' },
        range,
        'from and to must be numbers of sealed leaves, at most 10000 apart.',
      ],
    ),
    [listLeaves, { log: 'changes' }, { from: '0', to: '1', hour: 'x' }, 'hour and stream must name a sealed hour.'],
  ]
  for (const [handler, params, query, detail] of faults) {
    const { status, body } = await get(handler, params, query)
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_log_query', detail])
  }
})
