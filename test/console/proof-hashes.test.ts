import { generateKeyPairSync, sign } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { followPath, hashLeaf, isExtension, type Tree } from '#functions/console/proof/hashes.ts'
import { isKey, isSignedBy, readNote } from '#functions/console/proof/note.ts'
import { relationOf, unsealedReason } from '#functions/console/proof/prove.ts'
import { consistencyProof, inclusionProof, leafHash, readRoot } from '#shared/seal/merkle/merkle-proof.ts'
import { GrowingTree } from '#shared/seal/merkle/tiles.ts'
import { checkpointText } from '#shared/seal/notes/checkpoint.ts'
import { buildNote, verifierKeyText } from '#shared/seal/notes/signed-note.ts'

const leaves = Array.from({ length: 70 }, (_, i) => leafHash(`leaf ${i}`))

function rootOf(some: Buffer[]): Buffer {
  const tree = new GrowingTree()
  for (const leaf of some) tree.add(leaf)
  return tree.root()
}

const read = async (nodes: Array<{ level: number; index: number }>) =>
  nodes.map(({ level, index }) => rootOf(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)))

const base64 = (hash: Buffer): string => hash.toString('base64')
const treeOf = async (size: number): Promise<Tree> => ({ size, root: base64(await readRoot(size, read)) })
const size = fc.integer({ min: 1, max: leaves.length })

describe('hashes in the browser', () => {
  it('hash a leaf as the service does', async () => expect(await hashLeaf('leaf ä')).toBe(base64(leafHash('leaf ä'))))

  it('follow the path of every leaf, and of no other one', () =>
    fc.assert(
      fc.asyncProperty(size, fc.nat(), fc.nat(), async (count, first, second) => {
        const [index, other] = [first % count, second % count]
        const path = (await inclusionProof(index, count, read)).map(base64)
        const { root } = await treeOf(count)
        const follow = (leaf: number, at: number) => followPath(base64(leaves[leaf] as Buffer), at, count, path)
        expect(await follow(index, index)).toBe(root)
        if (other !== index) expect(await follow(other, index)).not.toBe(root)
        if (other !== index) expect(await follow(index, other)).not.toBe(root)
        expect(await followPath(base64(leaves[index] as Buffer), index, count, [...path, root])).toBeNull()
      }),
      { numRuns: 60 },
    ))

  it('accept an extension, and no other tree', () =>
    fc.assert(
      fc.asyncProperty(size, size, async (a, b) => {
        const [from, to] = [await treeOf(Math.min(a, b)), await treeOf(Math.max(a, b))]
        const path = (await consistencyProof(from.size, to.size, read)).map(base64)
        const other =
          base64(leaves[0] as Buffer) === from.root ? base64(leaves[1] as Buffer) : base64(leaves[0] as Buffer)
        expect(await isExtension(from, to, path)).toBe(true)
        expect(await isExtension({ ...from, root: other }, to, path)).toBe(false)
        expect(await isExtension(from, { ...to, root: other }, path)).toBe(false)
        if (from.size < to.size) expect(await isExtension(to, from, path)).toBe(false)
      }),
      { numRuns: 60 },
    ))

  it.each([-1, 1.5, Number.NaN, 2 ** 60])('reject the position %d, and a hash that is not base64', async (index) => {
    expect(await followPath(base64(leaves[0] as Buffer), index, 2 ** 53, [])).toBeNull()
    expect(await isExtension({ size: index, root: '' }, { size: 3, root: '' }, [])).toBe(false)
    expect(await followPath('no hash!', 0, 2, ['no hash!'])).toBe('')
  })
})

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
const key = { name: 'access.example.com/seal', publicKey: raw }
const origin = 'access.example.com/a1/changes'

async function noteOf(count: number, extensions: string[] = [], of = origin) {
  const { root } = await treeOf(count)
  const text = checkpointText({ origin: of, size: count, root: Buffer.from(root, 'base64'), extensions })
  return buildNote(text, key, sign(null, Buffer.from(text), privateKey))
}

describe('a note', () => {
  it('is read, and verified with its key only', async () => {
    const note = await noteOf(3, ['from c1'])
    expect(readNote(note)).toEqual({ origin, ...(await treeOf(3)), extensions: ['from c1'] })
    expect(await isKey(verifierKeyText(key))).toBe(true)
    expect(await isSignedBy(note, verifierKeyText(key))).toBe(true)
    const other = { ...key, publicKey: Buffer.from(raw).fill(7, 3, 4) }
    for (const wrong of [verifierKeyText(other), verifierKeyText({ ...key, name: 'other' }), '', 'a+00000000+AQ=='])
      expect(await isSignedBy(note, wrong)).toBe(false)
    expect(await isKey(verifierKeyText(key).replace(/\+[0-9a-f]{8}\+/, '+00000000+'))).toBe(false)
  })

  it.each([
    ['a changed size', (note: string) => note.replace('\n3\n', '\n4\n')],
    ['a line before the signature', (note: string) => note.replace('\n\n', '\nx\n\n')],
    ['no signature', (note: string) => note.replace(/— .*\n/, '')],
    ['a damaged signature', (note: string) => note.replace(/(— \S+ .{10})./, '$1!')],
    ['no blank line', (note: string) => note.replace('\n\n', '\n')],
  ])('is not valid with %s', async (_, damage) =>
    expect(await isSignedBy(damage(await noteOf(3)), verifierKeyText(key))).toBe(false),
  )

  it.each(['', '\n\n', 'o\nx\nr\n\n', 'o\n3\n\n\n'])('is not read without a checkpoint: %j', (note) =>
    expect(readNote(note)).toBeNull(),
  )
})

describe('a newer checkpoint', () => {
  const checkpoint = async (count: number, extensions: string[] = [], of = origin) => {
    const read = readNote(await noteOf(count, extensions, of))
    return read ?? Promise.reject(new Error('The note has no checkpoint.'))
  }
  const readPath = async (from: number, to: number) => (await consistencyProof(from, to, read)).map(base64)

  it('extends, truncates or forks the kept one', async () => {
    const kept = await checkpoint(20)
    expect(await relationOf(undefined, kept, readPath)).toBe('first')
    expect(await relationOf(kept, await checkpoint(20), readPath)).toBe('extends')
    expect(await relationOf(kept, await checkpoint(50), readPath)).toBe('extends')
    expect(await relationOf(kept, await checkpoint(19), readPath)).toBe('truncated')
    expect(await relationOf({ ...kept, root: kept.root.replace(/^./, '_') }, await checkpoint(20), readPath)).toBe(
      'forked',
    )
    expect(await relationOf(kept, await checkpoint(50), async () => [])).toBe('forked')
    expect(await relationOf(kept, await checkpoint(50, [], 'access.example.com/a1/changes.2'), readPath)).toBe('other')
  })

  it('of a log that follows another extends what both share (S2.5)', async () => {
    const { root } = await treeOf(30)
    const next = (shared: number, follows = root) =>
      checkpoint(50, [`follows ${origin} 30 ${follows}`, `shares ${shared} c1`], `${origin}.2`)
    expect(await relationOf(await checkpoint(20), await next(25), readPath)).toBe('extends')
    expect(await relationOf(await checkpoint(30), await next(25), readPath)).toBe('restarted')
    expect(await relationOf(await checkpoint(30), await next(30), readPath)).toBe('extends')
    expect(await relationOf(await checkpoint(30), await next(30, (await treeOf(29)).root), readPath)).toBe('forked')
  })
})

it.each([
  ['c', '2026-11-29T10:30:00Z', null, 'soon'],
  ['c', '2026-11-29T10:30:00Z', '2026-11-29T10:39:00Z', 'soon'],
  ['c', '2026-11-29T10:30:00Z', '2026-11-29T10:41:00Z', 'missing'],
  ['a', '2026-11-29T10:30:00Z', '2026-11-29T11:29:00Z', 'soon'],
  ['5', '2026-11-29T10:30:00Z', '2026-11-29T11:31:00Z', 'missing'],
  ['f', '2026-11-29T10:30:00Z', '2026-11-30T11:31:00Z', 'soon'],
])('an entry %s of %s that a checkpoint of %s lacks is %s', (stream, time, signed_at, reason) => {
  const micros = (Date.parse(time) * 1000).toString(16).padStart(13, '0')
  expect(unsealedReason(`${stream}${micros}0000000000`, { signed_at, note: null })).toBe(reason)
  const note = `o\n1\nr\nfrom ${stream === 'c' ? 'cf' : '2026-11-30T00:00:00.000000Z'}\n\n`
  expect(unsealedReason(`${stream}${micros}0000000000`, { signed_at, note })).toBe('before')
})
