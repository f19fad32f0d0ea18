import { clock } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { sealPartition } from '../../table/keys.ts'
import { type Begun, followsLines } from '../log/follows.ts'
import { SealDamage, type SealProblem } from '../log/seal-damage.ts'
import { originOf } from '../log/sealed-log.ts'
import { putCheckpoint, type SealedState } from '../log/sealed-state.ts'
import { GrowingTree } from '../merkle/growing-tree.ts'
import { MissingHashes, type Tile, tilePath, widthOf } from '../merkle/tiles.ts'
import { checkpointText } from '../notes/checkpoint.ts'
import { noteOf, verifierKeyText } from '../notes/signed-note.ts'
import { signText, verifierKey } from '../notes/signing-key.ts'
import { sealStore } from './seal-store.ts'
import { pathOf, putNewest, putOnce, readSigned, type Sealing, type Signed } from './signed-objects.ts'
import { edgeTiles, putTiles } from './table-tiles.ts'

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

/** What the bucket has: the checkpoint that the table does not have yet, because a run broke off, and the tag of the newest. */
export type Newest = { unfinished: Signed | null; tag: string | null }

/** @throws SealDamage where the bucket has an older tree than the table, another, or none */
export async function readNewest(sealing: Sealing): Promise<Newest> {
  const { state } = sealing.lease
  const signed = await readSigned(sealing, 'checkpoint')
  const damage = (problem: SealProblem) => new SealDamage(problem, pathOf(sealing, 'checkpoint'))
  if (!signed) {
    if (state) throw damage('absent')
    return { unfinished: null, tag: null }
  }
  const { size, root } = signed.checkpoint
  if (state && size < state.size) throw damage('checkpoint')
  if (state && size === state.size && root.toString('base64') !== state.root) throw damage('diverged')
  return { unfinished: !state || size > state.size ? signed : null, tag: signed.tag }
}

export type Reached = Pick<SealedState, 'from' | 'sequence' | 'time' | 'hour'>

/** So many requests to the bucket at once. */
const width = 8

/** Puts tiles of a tree into the bucket. @throws SealDamage where it has others: of a history that the table has lost */
export const storeTiles = (sealing: Sealing, tiles: Tile[], generation = sealing.lease.generation): Promise<void> =>
  inParallel(tiles, width, (tile) =>
    putOnce(pathOf(sealing, tilePath(tile, widthOf(tile)), generation), tile.hashes, 'diverged'),
  )

/** The lines of a checkpoint behind its root (S2.1, S2.5). */
export const extensionsOf = ({ from }: Pick<SealedState, 'from'>, { follows }: Begun): string[] => [
  ...(from === null ? [] : [`from ${from}`]),
  ...(follows ? followsLines(follows) : []),
]

/**
 * Signs the tree and stores it, first in the bucket, then in the table; each step can be repeated, and none overwrites what
 * another run has written. What was signed before and is not in the table yet is stored as it was signed.
 * @throws SealDamage where the tree is not the one that was signed
 * @throws Overtaken where another run has the log meanwhile
 */
export async function sealTree(
  sealing: Sealing,
  tree: GrowingTree,
  reached: Reached,
  { unfinished, tag }: Newest,
): Promise<void> {
  const { account, log, address, lease } = sealing
  const { size } = tree
  const root = tree.root()
  const tiles = [...tree.takeFull(), ...tree.partials()]
  const key = unfinished?.key ?? (await verifierKey(address))
  const diverged = (name: string) => new SealDamage('diverged', pathOf(sealing, name))
  if (unfinished && !unfinished.checkpoint.root.equals(root)) throw diverged('checkpoint')
  const own = `checkpoints/${size}`
  const kept = await readSigned(sealing, own)
  if (kept && !kept.checkpoint.root.equals(root)) throw diverged(own)
  await storeTiles(sealing, tiles)
  const origin = unfinished?.checkpoint.origin ?? originOf(address, account, log, lease.generation)
  let note = unfinished?.note
  if (note === undefined) {
    lease.check()
    const extensions = extensionsOf(reached, lease.begun)
    const text = checkpointText({ origin, size, root, extensions })
    note = noteOf(text, key, await signText(text))
    await putNewest(pathOf(sealing, 'checkpoint'), note, tag)
  }
  if (!kept && !(await sealStore().put(pathOf(sealing, own), note, null))) {
    const other = await readSigned(sealing, own)
    if (!other?.checkpoint.root.equals(root)) throw diverged(own)
  }
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
