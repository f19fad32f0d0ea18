import { expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as sealPub } from '#functions/public/seal-pub.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { hourLeafText } from '#shared/seal/log/sealed-log.ts'
import { leafHash, provesInclusion } from '#shared/seal/merkle/merkle-proof.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote, parseVerifierKey } from '#shared/seal/notes/signed-note.ts'
import { call } from '#test/support/accounts/account.ts'
import { bytes, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

it('proves each entry from the fields that GET returns, with the public key', async () => {
  const { account, get, changes, checkpoint, proof } = await newSealedAccount()
  await sealNow(account.id)
  const { note, verifier_key, size, root } = await checkpoint()
  const key = parseVerifierKey((await call(sealPub, { method: 'GET', path: '/seal.pub' })).text)
  expect(parseVerifierKey(verifier_key)).toEqual(key)
  const signed = parseCheckpoint(openNote(note, key) ?? '')
  expect(signed).toMatchObject({ size, origin: `access.example.com/${account.id}/changes` })
  expect(signed.root.toString('base64')).toBe(root)
  const all = (await changes()).reverse()
  expect(all).toHaveLength(size)
  for (const [index, { log_id }] of all.entries()) {
    const { body } = await proof(log_id)
    expect(body.data).toMatchObject({ log: 'changes', leaf_index: index, size, root, note })
    const leaf = leafHash(canonicalJson((await get(getLog, { log_id })).body.data))
    expect(body.data.leaf_hash).toBe(leaf.toString('base64'))
    expect(provesInclusion(leaf, index, size, body.data.path.map(bytes), signed.root)).toBe(true)
  }
})

it('seals settled hours of API requests and sessions, and proves an entry within its hour', async () => {
  const { account, get, checkpoint, proof } = await newSealedAccount()
  const mine = async () =>
    (await get(listLogs, {}, { type: 'api_request', limit: '3' })).body.data as { log_id: string; timestamp: string }[]
  await mine()
  const [, one] = await mine()
  const log_id = one?.log_id ?? ''
  const { status, headers } = await proof(log_id)
  expect(status).toBe(409)
  expect(Number(headers['retry-after'])).toBeGreaterThan(300)
  advanceMinutes(80)
  await sealNow(account.id, 'activity')
  const { size, root, note, verifier_key } = await checkpoint('activity')
  expect(size).toBe(1)
  const signed = parseCheckpoint(openNote(note, parseVerifierKey(verifier_key)) ?? '')
  expect(signed.origin).toBe(`access.example.com/${account.id}/activity`)
  const { body } = await proof(log_id)
  const { hour, path, leaf_index, leaf_hash } = body.data
  const leaf = leafHash(hourLeafText(hour))
  expect(hour).toMatchObject({ stream: 'api_request' })
  expect(one?.timestamp.slice(0, 13)).toBe(hour.hour.slice(0, 13))
  expect([leaf_hash, leaf_index]).toEqual([leaf.toString('base64'), 0])
  expect(provesInclusion(leaf, leaf_index, size, path.map(bytes), bytes(root))).toBe(true)
  const entry = leafHash(canonicalJson((await get(getLog, { log_id })).body.data))
  expect(hour.leaf_hash).toBe(entry.toString('base64'))
  expect(provesInclusion(entry, hour.index, hour.size, hour.path.map(bytes), bytes(hour.root))).toBe(true)
  const leaves = (await get(listLeaves, { log: 'activity' }, { from: '0', to: '1' })).body.data
  const { hour: begin, stream, size: count, root: top } = hour
  expect(leaves).toMatchObject({ hashes: leaf_hash, hours: [{ hour: begin, stream, size: count, root: top }] })
  const inHour = await get(listLeaves, { log: 'activity' }, { from: '0', to: String(count), hour: begin, stream })
  expect(bytes(inHour.body.data.hashes).subarray(hour.index * 32, hour.index * 32 + 32)).toEqual(entry)
})
