import { clock } from '../../core/clock.ts'
import { sealPartition } from '../../table/keys.ts'
import type { Follows } from '../log/follows.ts'
import { readHourId } from '../log/hour-leaf.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { originOf } from '../log/sealed-log.ts'
import type { SealedState } from '../log/sealed-state.ts'
import { splitHashes } from '../merkle/compact-range.ts'
import { TileAppender, tileWidth } from '../merkle/tiles.ts'
import { checkpointText } from '../notes/checkpoint.ts'
import { noteOf, parseNote, verifierKeyText } from '../notes/signed-note.ts'
import { signText, verifierKey } from '../notes/signing-key.ts'
import { extensionsOf, storeTiles } from './seal-tree.ts'
import { pathOf, putNewest, putOnce, readSigned, type Sealing } from './signed-objects.ts'
import { leafHashes, leafIds } from './table-tiles.ts'

type Ended = Omit<Follows, 'shared' | 'last'>

/**
 * What the newest checkpoint of the log says that ends. The table has a part of its tree, which the bucket has signed.
 * @throws SealDamage where the bucket has signed another tree of that size, or lacks it
 */
async function endedLog(sealing: Sealing): Promise<Ended> {
  const { state } = sealing.lease
  const signed = await readSigned(sealing, 'checkpoint')
  if (signed && (!state || signed.checkpoint.size >= state.size)) {
    const { origin, size, root } = signed.checkpoint
    const name = `checkpoints/${state?.size}`
    const shared = state && (await readSigned(sealing, name))
    if (state && shared?.checkpoint.root.toString('base64') !== state.root) {
      throw new SealDamage('checkpoint', pathOf(sealing, name))
    }
    return { origin, size, root: root.toString('base64'), note: signed.note }
  }
  // The bucket is another one: what the table has is the newest that is known.
  if (!state || signed) throw new SealDamage('checkpoint', pathOf(sealing, 'checkpoint'))
  const { origin, size, root, note } = state
  return { origin, size, root, note }
}

/** Tiles that are read and put at once. */
const perBatch = 64

/** Puts the tiles of the leaves that both logs have into the bucket of the new one. @throws SealDamage where they do not lead to the root */
async function copyTiles(sealing: Sealing, { size, root }: SealedState, generation: number): Promise<void> {
  const pk = sealPartition(sealing.account, sealing.log)
  const appender = new TileAppender()
  for (let at = 0; at < size; at += perBatch * tileWidth) {
    const leaves = splitHashes(await leafHashes(pk, at, Math.min(size, at + perBatch * tileWidth)))
    await storeTiles(
      sealing,
      leaves.flatMap((leaf) => appender.append(leaf)),
      generation,
    )
  }
  await storeTiles(sealing, appender.partials(), generation)
  if (appender.size !== size || appender.root().toString('base64') !== root) {
    throw new SealDamage('tile', `${sealing.account}/${sealing.log}`)
  }
}

/**
 * Begins the log that follows this one, whose table was restored to an earlier instant or whose bucket is another (S2.5): of
 * another origin, in another place, with the leaves that the table has of it. What was signed before stays as it is. Each step
 * can be repeated.
 * @throws SealDamage where table and bucket are not of one log
 * @throws Overtaken where another run has the log
 */
export async function beginLog(sealing: Sealing): Promise<{ origin: string; follows: Follows }> {
  const { account, log, address, lease } = sealing
  const { state } = lease
  const ended = await endedLog(sealing)
  const [id] = state ? await leafIds(sealPartition(account, log), state.size - 1, state.size) : []
  const last = id === undefined ? null : log === 'changes' ? id : readHourId(id).hour
  const follows: Follows = { ...ended, shared: state?.size ?? 0, last }
  for (let generation = lease.generation + 1; ; generation++) {
    const origin = originOf(address, account, log, generation)
    const before = await readSigned(sealing, 'checkpoint', generation)
    if (!state) {
      // A log of before this table's instant has the number; the next is free.
      if (before) continue
      await lease.begin({ generation, follows }, { hour: lease.hour })
      return { origin, follows }
    }
    const root = Buffer.from(state.root, 'base64')
    const text = checkpointText({ origin, size: state.size, root, extensions: extensionsOf(state, { follows }) })
    // What a run has begun that broke off is gone on with; any other log of this number is of a history that the table has lost.
    if (before && parseNote(before.note).text !== text) continue
    await copyTiles(sealing, state, generation)
    lease.check()
    const key = before?.key ?? (await verifierKey(address))
    const note = before?.note ?? noteOf(text, key, await signText(text))
    await putNewest(pathOf(sealing, 'checkpoint', generation), note, before?.tag ?? null)
    await putOnce(pathOf(sealing, `checkpoints/${state.size}`, generation), note, 'diverged')
    const signed_at = clock.now()
    await lease.begin(
      { generation, follows },
      { ...state, origin, note, verifier_key: verifierKeyText(key), signed_at },
    )
    return { origin, follows }
  }
}
