import { sealStore } from '../../core/aws/object-store.ts'
import { clock } from '../../core/clock.ts'
import { measure } from '../../core/logging/invocation.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { sealPartition } from '../../table/keys.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { logOrigin } from '../log/sealed-log.ts'
import { GrowingTree, MissingHashes, type Tile, tilePath, widthOf } from '../merkle/tiles.ts'
import { checkpointText, followsLines, type LogStart } from '../notes/checkpoint.ts'
import { buildNote, verifierKeyText } from '../notes/signed-note.ts'
import { signText, verifierKey } from '../notes/signing-key.ts'
import { putCheckpoint, type SealedState } from './sealed-state.ts'
import {
  damageOf,
  pathOf,
  putNewest,
  putOnce,
  readSigned,
  type Sealing,
  type SignedCheckpoint,
} from './signed-objects.ts'
import { edgeTiles, putTiles } from './table-tiles.ts'

/** Opens the tree in the table. @throws SealDamage `tile` if the tiles do not match the signed root */
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

/** `unfinished` is the checkpoint of an interrupted run, which exists only in the bucket. `tag` is the ETag of the newest checkpoint. */
type Newest = { unfinished: SignedCheckpoint | null; tag: string | null }

/**
 * Compares the newest checkpoints in the bucket and in the table.
 * @throws SealDamage if the bucket's checkpoint is older, absent or has a different root
 */
export async function readNewest(sealing: Sealing): Promise<Newest> {
  const { state } = sealing.lease
  const signed = await readSigned(sealing, 'checkpoint')
  if (!signed) {
    if (state) throw damageOf(sealing, 'absent')
    return { unfinished: null, tag: null }
  }
  const { size, root } = signed.checkpoint
  if (state && size < state.size) throw damageOf(sealing, 'checkpoint')
  if (state && size === state.size && root.toString('base64') !== state.root) throw damageOf(sealing, 'diverged')
  return { unfinished: !state || size > state.size ? signed : null, tag: signed.tag }
}

/**
 * True if the tree has fewer leaves than the unfinished checkpoint, which a later run must then complete.
 * @param isAtEnd true if the log has no more entries to add
 * @throws SealDamage `behind` if the leaves no longer exist; `diverged` if the tree is longer
 */
export function lacksLeaves(sealing: Sealing, tree: GrowingTree, { unfinished }: Newest, isAtEnd: boolean): boolean {
  const target = unfinished?.checkpoint.size ?? tree.size
  if (tree.size > target) throw damageOf(sealing, 'diverged')
  if (tree.size < target && isAtEnd) throw damageOf(sealing, 'behind')
  return tree.size < target
}

type SealProgress = Pick<SealedState, 'from' | 'sequence' | 'time' | 'hour'>

const concurrency = 8

/** Puts tiles into the bucket. @throws SealDamage `diverged` if the bucket has different tiles at these paths */
export const storeTiles = (sealing: Sealing, tiles: Tile[], generation = sealing.lease.generation): Promise<void> =>
  inParallel(tiles, concurrency, (tile) =>
    putOnce(pathOf(sealing, tilePath(tile, widthOf(tile)), generation), tile.hashes, 'diverged'),
  )

/** Extension lines of a checkpoint, which follow its root (S2.1, S2.5). */
export const extensionsOf = ({ from }: Pick<SealedState, 'from'>, { follows }: LogStart): string[] => [
  ...(from === null ? [] : [`from ${from}`]),
  ...(follows ? followsLines(follows) : []),
]

/**
 * Signs the tree and stores it, first in the bucket, then in the table. Each step is idempotent and never overwrites another run's objects.
 * An unfinished checkpoint keeps its existing signature.
 * @throws SealDamage if a checkpoint of this size has a different root
 * @throws SealConflict if a concurrent run is sealing the log
 */
export async function sealTree(
  sealing: Sealing,
  tree: GrowingTree,
  progress: SealProgress,
  { unfinished, tag }: Newest,
): Promise<void> {
  const { account, log, address, lease } = sealing
  const { size } = tree
  const hash = tree.root()
  const root = hash.toString('base64')
  const tiles = [...tree.takeFull(), ...tree.partials()]
  const key = unfinished?.key ?? (await verifierKey(address))
  const sizedPath = `checkpoints/${size}`
  const rejectOther = (signed: SignedCheckpoint | null, name: string) => {
    if (signed && !signed.checkpoint.root.equals(hash)) throw damageOf(sealing, 'diverged', name)
  }
  rejectOther(unfinished, 'checkpoint')
  const existing = await readSigned(sealing, sizedPath)
  rejectOther(existing, sizedPath)
  await storeTiles(sealing, tiles)
  const origin = unfinished?.checkpoint.origin ?? logOrigin(address, account, log, lease.generation)
  let note = unfinished?.note
  if (note === undefined) {
    lease.check()
    const text = checkpointText({ origin, size, root: hash, extensions: extensionsOf(progress, lease.start) })
    note = buildNote(text, key, await signText(text))
    await putNewest(pathOf(sealing, 'checkpoint'), note, tag)
  }
  if (!existing && !(await sealStore().put(pathOf(sealing, sizedPath), note, null))) {
    const other = await readSigned(sealing, sizedPath)
    if (!other?.checkpoint.root.equals(hash)) throw damageOf(sealing, 'diverged', sizedPath)
  }
  await putTiles(sealPartition(account, log), tree.from, tiles)
  await putCheckpoint(account, log, { size, root, note })
  const signed_at = clock.now()
  await lease.store({ size, root, note, origin, verifier_key: verifierKeyText(key), signed_at, ...progress })
  measure('entries_sealed', size - tree.from)
}
