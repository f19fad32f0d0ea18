import { archiveStore } from '../../core/aws/object-store.ts'
import { clock } from '../../core/clock.ts'
import { type ManifestItem, manifestKey, readArchiveState } from '../../logs/blocks/archive-view.ts'
import { manifestPath } from '../../logs/files/file-index.ts'
import { getItem } from '../../table/read.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { manifestId } from '../log/sealed-log.ts'
import { leafHash } from '../merkle/merkle-proof.ts'
import { lacksLeaves, openTree, readNewest, sealTree } from './seal-tree.ts'
import type { Sealing } from './signed-objects.ts'

/** Reads the leaf of a manifest from the bucket, so that a leaf is always the content of an object (R7.2). @throws SealDamage */
async function readLeaf(account: string, number: number): Promise<{ id: string; hash: Buffer }> {
  const item = await getItem<ManifestItem>(manifestKey(account, number))
  if (!item) throw new SealDamage('gap', `${account}/archive/${number}`)
  const path = manifestPath(account, item.hour)
  const stored = await archiveStore().get(path)
  if (!stored) throw new SealDamage('missing', path)
  const hash = leafHash(stored.content)
  if (hash.toString('base64') !== item.hash) throw new SealDamage('altered', path)
  return { id: manifestId(item.hour), hash }
}

/**
 * Seals the manifests of an account's archive, until the deadline (R7).
 * @throws SealDamage if a manifest is missing or differs from what was flushed
 */
export async function sealArchive(sealing: Sealing, deadline: number): Promise<void> {
  const { account, lease } = sealing
  const { manifests } = (await readArchiveState(account)) ?? { manifests: 0 }
  if (manifests <= (lease.state?.size ?? 0) && !sealing.alwaysCompare) return
  const newest = await readNewest(sealing)
  const target = newest.unfinished?.checkpoint.size ?? manifests
  const tree = await openTree(sealing)
  while (tree.size < Math.min(target, manifests) && clock.monotonic() < deadline) {
    const { id, hash } = await readLeaf(account, tree.size)
    tree.add(hash, id)
  }
  if (lacksLeaves(sealing, tree, newest, tree.size >= manifests)) return
  if (tree.size > tree.from) await sealTree(sealing, tree, { from: null }, newest)
}
