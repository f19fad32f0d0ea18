import { clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readAccountId } from '../../core/event-account.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { logLine } from '../../core/logging/log.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { sealPartition } from '../../table/keys.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { SealConflict, SealDamage, type SealProblem } from '../log/seal-damage.ts'
import { hourOfId, logOrigin, type SealedLog, sealedLogs } from '../log/sealed-log.ts'
import { hashBytes } from '../merkle/merkle-proof.ts'
import { GrowingTree, tileWidth } from '../merkle/tiles.ts'
import { checkpointText, type Follows } from '../notes/checkpoint.ts'
import { buildNote, parseNote, verifierKeyText } from '../notes/signed-note.ts'
import { signText, verifierKey } from '../notes/signing-key.ts'
import { sealers } from './seal-logs.ts'
import { extensionsOf, storeTiles } from './seal-tree.ts'
import { Lease, type SealedState } from './sealed-state.ts'
import { damageOf, pathOf, putNewest, putOnce, readSigned, type Sealing } from './signed-objects.ts'
import { leafHashes, leafIds } from './table-tiles.ts'

/**
 * Reads the newest checkpoint of the log to replace. The tree of that log must contain the tree in the table.
 * @throws SealDamage `checkpoint` if the bucket has no checkpoint for the table's tree, or one with a different root
 */
async function readEndedLog(sealing: Sealing): Promise<Omit<Follows, 'shared' | 'last'>> {
  const { state } = sealing.lease
  const signed = await readSigned(sealing, 'checkpoint')
  if (!signed && state) {
    // The bucket was replaced, so the newest checkpoint is the one in the table.
    const { origin, size, root, note } = state
    return { origin, size, root, note }
  }
  if (!signed || (state && signed.checkpoint.size < state.size)) throw damageOf(sealing, 'checkpoint')
  const name = `checkpoints/${state?.size}`
  const shared = state && (await readSigned(sealing, name))
  if (state && shared?.checkpoint.root.toString('base64') !== state.root) throw damageOf(sealing, 'checkpoint', name)
  const { origin, size, root } = signed.checkpoint
  return { origin, size, root: root.toString('base64'), note: signed.note }
}

const tilesPerBatch = 64

/**
 * Copies the tiles of the shared leaves to the folder of the new log.
 * @throws SealDamage `tile` if the leaves in the table do not have the signed root
 */
async function copyTiles(sealing: Sealing, { size, root }: SealedState, generation: number): Promise<void> {
  const pk = sealPartition(sealing.account, sealing.log)
  const tree = new GrowingTree()
  for (let at = 0; at < size; at += tilesPerBatch * tileWidth) {
    const leaves = await leafHashes(pk, at, Math.min(size, at + tilesPerBatch * tileWidth))
    for (let i = 0; i < leaves.length; i += hashBytes) tree.add(leaves.subarray(i, i + hashBytes))
    await storeTiles(sealing, tree.takeFull(), generation)
  }
  await storeTiles(sealing, tree.partials(), generation)
  if (tree.size !== size || tree.root().toString('base64') !== root) {
    throw new SealDamage('tile', `${sealing.account}/${sealing.log}`)
  }
}

/**
 * Starts the next generation of a log whose table was restored or whose bucket was replaced (S2.5). The new log has a separate origin and
 * folder, and starts with the leaves in the table. Each step is idempotent.
 * @throws SealDamage if the table and the bucket do not contain the same log
 * @throws SealConflict if a concurrent run is sealing the log
 */
async function beginLog(sealing: Sealing): Promise<{ origin: string; follows: Follows }> {
  const { account, log, address, lease } = sealing
  const { state } = lease
  const ended = await readEndedLog(sealing)
  const [id] = state ? await leafIds(sealPartition(account, log), state.size - 1, state.size) : []
  const last = id === undefined ? null : log === 'changes' ? id : hourOfId(id)
  const follows: Follows = { ...ended, shared: state?.size ?? 0, last }
  for (let generation = lease.generation + 1; ; generation++) {
    const origin = logOrigin(address, account, log, generation)
    const before = await readSigned(sealing, 'checkpoint', generation)
    if (!state) {
      // Skips a generation that was used before the table was restored.
      if (before) continue
      await lease.begin({ generation, follows }, { hour: lease.hour })
      return { origin, follows }
    }
    const root = Buffer.from(state.root, 'base64')
    const text = checkpointText({ origin, size: state.size, root, extensions: extensionsOf(state, { follows }) })
    // A checkpoint with the same text belongs to an interrupted run, which is resumed. Any other checkpoint belongs to a log that the table
    // lost.
    if (before && parseNote(before.note).text !== text) continue
    await copyTiles(sealing, state, generation)
    lease.check()
    const key = before?.key ?? (await verifierKey(address))
    const note = before?.note ?? buildNote(text, key, await signText(text))
    await putNewest(pathOf(sealing, 'checkpoint', generation), note, before?.tag ?? null)
    await putOnce(pathOf(sealing, `checkpoints/${state.size}`, generation), note, 'diverged')
    const verifier_key = verifierKeyText(key)
    await lease.begin({ generation, follows }, { ...state, origin, note, verifier_key, signed_at: clock.now() })
    return { origin, follows }
  }
}

type NewLog = { origin: string; follows: Omit<Follows, 'note'>; size: number }

type NewLogs = Record<SealedLog, NewLog | null>

/** Problems that only a new generation solves: the table lost sealed leaves, or the bucket was replaced. */
const needNewLog: SealProblem[] = ['behind', 'diverged', 'absent']

const badRequest = (detail: string) => new ApiError('bad_request', detail)

/**
 * Seals a log. If the log cannot be continued, starts the next generation and seals the new log. Returns null if no new generation was
 * needed.
 */
async function replaceLog(account: string, log: SealedLog, deadline: number): Promise<NewLog | null> {
  const lease = await Lease.take(account, log)
  if (!lease) throw new SealConflict()
  try {
    const sealing: Sealing = { account, log, address: serviceAddress(), lease, alwaysCompare: true }
    try {
      await sealers[log](sealing, deadline)
      return null
    } catch (error) {
      if (!(error instanceof SealDamage && needNewLog.includes(error.problem))) throw error
    }
    const newLog = await beginLog(sealing)
    const { note: _note, ...follows } = newLog.follows
    const { size, shared } = follows
    logLine('WARN', 'log_begun', {
      account_id: account,
      log,
      origin: newLog.origin,
      follows: follows.origin,
      size,
      shared,
    })
    await sealers[log](sealing, deadline)
    return { origin: newLog.origin, follows, size: lease.state?.size ?? 0 }
  } finally {
    await lease.end()
  }
}

/**
 * Task: starts the next generation for those logs of an account that cannot be continued (S2.5, docs/runbooks/seal-stopped.md).
 * @throws ApiError `bad_request` for an event without a valid account, and for a log with any other damage
 * @throws ApiError `unavailable` while a concurrent run is sealing a log
 */
export async function beginSealedLog(event: unknown, deadline: number): Promise<NewLogs> {
  const account = readAccountId(event)
  const unknownField = Object.keys(fieldsOf(event)).find((name) => name !== 'account_id')
  if (unknownField !== undefined)
    throw badRequest(`${unknownField} is not a known field. The only field is account_id.`)
  await rejectUnknownAccount(account)
  const newLogs: NewLogs = { changes: null, activity: null, archive: null }
  for (const log of sealedLogs) {
    try {
      newLogs[log] = await replaceLog(account, log, deadline)
    } catch (error) {
      if (error instanceof SealConflict)
        throw new ApiError('unavailable', `Another run works on the log ${log}. Try again in five minutes.`)
      if (!(error instanceof SealDamage)) throw error
      throw badRequest(
        `The log ${log} failed its verification: ${error.problem} at ${error.at}. Repair it first (docs/runbooks/seal-stopped.md).`,
      )
    }
  }
  return newLogs
}
