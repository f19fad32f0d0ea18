import { expect } from 'vitest'
import type { ObjectStore } from '#shared/core/aws/object-store.ts'

async function listed(store: ObjectStore, prefix: string, after?: string) {
  const found: unknown[] = []
  for await (const { path, size } of store.list(prefix, after)) found.push([path, size])
  return found
}

/** Cases that hold for every object store. Each starts with an empty store. */
export const objectStoreCases: [title: string, run: (store: ObjectStore) => Promise<void>][] = [
  [
    'puts an object only if absent, or if it is still the version that was read',
    async ({ get, put }) => {
      expect(await get('a/checkpoint')).toBeNull()
      expect(await put('a/checkpoint', 'gone', 'a tag')).toBe(false)
      expect(await put('a/checkpoint', 'one', null)).toBe(true)
      expect(await put('a/checkpoint', 'two', null)).toBe(false)
      const one = await get('a/checkpoint')
      expect(String(one?.content)).toBe('one')
      expect(await put('a/checkpoint', 'two', one?.tag ?? '')).toBe(true)
      expect(await put('a/checkpoint', 'three', one?.tag ?? '')).toBe(false)
      expect(String((await get('a/checkpoint'))?.content)).toBe('two')
    },
  ],
  [
    'deletes all objects of a folder, and no others',
    async (store) => {
      for (const path of ['a/b/1', 'a/b/2', 'a/b/c/3', 'a/bb/4']) await store.put(path, 'content', null)
      expect(await store.deleteFolder('a/b/', () => true)).toBe(true)
      expect(await store.deleteFolder('a/b/', () => true)).toBe(true)
      expect(await listed(store, 'a/')).toEqual([['a/bb/4', 7]])
    },
  ],
  [
    'deletes older versions of an object, and no others',
    async ({ get, put, deleteOldVersions }) => {
      await deleteOldVersions('a/file')
      for (const path of ['a/file', 'a/file-2']) {
        await put(path, 'one', null)
        for (const content of ['two', 'three']) await put(path, content, (await get(path))?.tag ?? '')
      }
      for (let i = 0; i < 2; i++) await deleteOldVersions('a/file')
      for (const path of ['a/file', 'a/file-2']) expect(String((await get(path))?.content)).toBe('three')
    },
  ],
  [
    'reads a range, which ends at the end of the object',
    async ({ getRange, getTail, put }) => {
      await put('a/file', Buffer.from([0, 255, 2, 3, 4]), null)
      const tag = (await getTail('a/file', 1))?.tag ?? ''
      expect(await getRange('a/file', 1, 3, tag)).toEqual(Buffer.from([255, 2]))
      expect(await getRange('a/file', 0, 1, tag)).toEqual(Buffer.from([0]))
      expect(await getRange('a/file', 3, 100, tag)).toEqual(Buffer.from([3, 4]))
      expect(await getRange('a/file', 5, 6, tag)).toEqual(Buffer.alloc(0))
      expect(await getRange('a/other', 1, 3, tag)).toBeNull()
      await expect(getRange('a/file', 3, 3, tag)).rejects.toThrow(RangeError)
    },
  ],
  [
    'reads no range of an object that was replaced since its tail was read',
    async ({ get, getRange, getTail, put }) => {
      await put('a/file', 'one', null)
      const before = (await getTail('a/file', 1))?.tag ?? ''
      await put('a/file', 'two', (await get('a/file'))?.tag ?? '')
      expect(await getRange('a/file', 0, 2, before)).toBeNull()
      const after = (await getTail('a/file', 1))?.tag ?? ''
      expect(String(await getRange('a/file', 0, 2, after))).toBe('tw')
    },
  ],
  [
    'reads the last bytes with the size of the object',
    async ({ getTail, put }) => {
      await put('a/file', Buffer.from([0, 255, 2, 3, 4]), null)
      await put('a/empty', '', null)
      expect(await getTail('a/file', 2)).toMatchObject({ content: Buffer.from([3, 4]), size: 5 })
      expect(await getTail('a/file', 5)).toMatchObject({ content: Buffer.from([0, 255, 2, 3, 4]), size: 5 })
      expect(await getTail('a/file', 100)).toMatchObject({ content: Buffer.from([0, 255, 2, 3, 4]), size: 5 })
      expect(await getTail('a/empty', 8)).toMatchObject({ content: Buffer.alloc(0), size: 0 })
      expect(await getTail('a/other', 2)).toBeNull()
      await expect(getTail('a/file', 0)).rejects.toThrow(RangeError)
    },
  ],
  [
    'lists the objects of a prefix in order, also across pages and after a path',
    async (store) => {
      expect(await listed(store, 'a/')).toEqual([])
      for (const path of ['a/day=2/file-1', 'a/day=1/file', 'a/day=2/file-0', 'a/day=3/x', 'b/file'])
        await store.put(path, path, null)
      expect(await listed(store, 'a/')).toEqual([
        ['a/day=1/file', 12],
        ['a/day=2/file-0', 14],
        ['a/day=2/file-1', 14],
        ['a/day=3/x', 9],
      ])
      expect(await listed(store, 'a/day=2/file')).toEqual([
        ['a/day=2/file-0', 14],
        ['a/day=2/file-1', 14],
      ])
      expect(await listed(store, 'a/', 'a/day=2/file-0')).toEqual([
        ['a/day=2/file-1', 14],
        ['a/day=3/x', 9],
      ])
      expect(await listed(store, 'a/', 'a/day=2')).toHaveLength(3)
    },
  ],
]
