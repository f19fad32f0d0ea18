import { clock } from '../core/clock.ts'
import { inParallel } from '../core/in-parallel.ts'
import { sealPartition } from '../table/keys.ts'
import { type Checkpoint, checkpointText, parseCheckpoint } from './checkpoint.ts'
import { GrowingTree } from './growing-tree.ts'
import { SealDamage } from './seal-damage.ts'
import { sealStore } from './seal-store.ts'
import { originOf, type SealedLog } from './sealed-log.ts'
import { type Lease, putCheckpoint, type SealedState } from './sealed-state.ts'
import { NoteError, noteOf, openNote, parseVerifierKey, type VerifierKey, verifierKeyText } from './signed-note.ts'
import { signText, verifierKey } from './signing-key.ts'
import { edgeTiles, putTiles } from './table-tiles.ts'
import { MissingHashes, tilePath, widthOf } from './tiles.ts'

/** A log that is being sealed. */
export type Sealing = { account: string; log: SealedLog; address: string; lease: Lease }

const pathOf = ({ account, log }: Sealing, name: string): string => `${account}/${log}/${name}`

/** The tree as the table has it. @throws SealDamage where its tiles do not lead to the root that was signed */
export async function openTree({ account, log, lease }: Sealing): Promise<GrowingTree> {
  const { state } = lease
  if (!state) return new GrowingTree()
  const edge = await edgeTiles(sealPartition(account, log), state.size)
  try {
    const tree = new GrowingTree(state.size, edge)
    if (tree.root().toString('base64') === state.root) return tree
  } catch (error) {
    if (!(error instanceof MissingHashes)) throw error
  }
  throw new SealDamage('tile', `${account}/${log}`)
}

type Signed = { checkpoint: Checkpoint; note: string }

/** @throws SealDamage for a note of another log, or that none of the keys has signed */
function opened(sealing: Sealing, path: string, note: string, keys: VerifierKey[]): Signed {
  try {
    const text = keys.map((key) => openNote(note, key)).find((found) => found !== null)
    const checkpoint = text ? parseCheckpoint(text) : null
    if (checkpoint?.origin.endsWith(`/${sealing.account}/${sealing.log}`)) return { checkpoint, note }
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
  }
  throw new SealDamage('checkpoint', path)
}

async function keysOf({ address, lease }: Sealing): Promise<VerifierKey[]> {
  const own = await verifierKey(address)
  return lease.state ? [own, parseVerifierKey(lease.state.verifier_key)] : [own]
}

async function readSigned(sealing: Sealing, name: string): Promise<Signed | null> {
  const path = pathOf(sealing, name)
  const note = await sealStore().get(path)
  return note === null ? null : opened(sealing, path, note, await keysOf(sealing))
}

/**
 * The checkpoint in the bucket that the table does not have yet, because a run broke off; null where both have the same.
 * @throws SealDamage where the bucket has an older tree than the table, or another
 */
export async function unfinished(sealing: Sealing): Promise<Signed | null> {
  const { state } = sealing.lease
  const signed = await readSigned(sealing, 'checkpoint')
  const damage = () => new SealDamage('checkpoint', pathOf(sealing, 'checkpoint'))
  if (!signed) {
    if (state) throw damage()
    return null
  }
  const { size, root } = signed.checkpoint
  if (state && size < state.size) throw damage()
  if (!state || size > state.size) return signed
  if (root.toString('base64') !== state.root) throw damage()
  return null
}

export type Reached = Pick<SealedState, 'from' | 'sequence' | 'time' | 'hour'>

/** So many requests to the bucket at once. */
const width = 8

/**
 * Signs the tree and stores it, first in the bucket, then in the table; each step can be repeated. What was signed before
 * and is not in the table yet is stored as it was signed.
 * @throws SealDamage where the tree is not the one that was signed
 */
export async function sealTree(
  sealing: Sealing,
  tree: GrowingTree,
  reached: Reached,
  before: Signed | null,
): Promise<void> {
  const { account, log, address, lease } = sealing
  const store = sealStore()
  const { size } = tree
  const root = tree.root()
  const tiles = [...tree.takeFull(), ...tree.partials()]
  const key = await verifierKey(address)
  if (before && !before.checkpoint.root.equals(root)) throw new SealDamage('checkpoint', pathOf(sealing, 'checkpoint'))
  const kept = await readSigned(sealing, `checkpoints/${size}`)
  if (kept && !kept.checkpoint.root.equals(root))
    throw new SealDamage('checkpoint', pathOf(sealing, `checkpoints/${size}`))
  await inParallel(tiles, width, (tile) => store.put(pathOf(sealing, tilePath(tile, widthOf(tile))), tile.hashes))
  const origin = originOf(address, account, log)
  let note = before?.note
  if (note === undefined) {
    lease.check()
    const extensions = reached.from === null ? [] : [`from ${reached.from}`]
    const text = checkpointText({ origin, size, root, extensions })
    note = noteOf(text, key, await signText(text))
    await store.put(pathOf(sealing, 'checkpoint'), note)
  }
  if (!kept) await store.put(pathOf(sealing, `checkpoints/${size}`), note)
  await putTiles(sealPartition(account, log), tree.from, tiles)
  await putCheckpoint(account, log, { size, root: root.toString('base64'), note })
  await lease.store({
    size,
    root: root.toString('base64'),
    note,
    origin,
    verifier_key: verifierKeyText(key),
    signed_at: clock.now(),
    ...reached,
  })
}
