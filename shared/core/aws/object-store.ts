import { hash, randomUUID } from 'node:crypto'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectVersionsCommand,
  type ObjectVersion,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { env } from '../env.ts'
import { hasStatus, s3 } from './s3.ts'

type StoredObject = { content: Buffer; tag: string }

/** Store of objects by path: a bucket, or a folder on a single machine. Writes are atomic. */
export type ObjectStore = {
  get(path: string): Promise<StoredObject | null>
  /**
   * Reads the bytes from `start` to before `end`, or fewer where the object ends earlier. Returns null if the object is absent, or does not
   * have the tag of its tail any more.
   * @throws RangeError if the range is empty
   */
  getRange(path: string, start: number, end: number, tag: string): Promise<Buffer | null>
  /**
   * Reads at most the last `bytes` bytes, with the size of the whole object, and its tag for `getRange`. Returns null if the object is
   * absent.
   */
  getTail(path: string, bytes: number): Promise<(StoredObject & { size: number }) | null>
  /**
   * Puts an object if the stored object has the tag `expectedTag`, or if none is stored and `expectedTag` is null. Returns false in all
   * other cases.
   */
  put(path: string, content: string | Buffer, expectedTag: string | null): Promise<boolean>
  /** Lists the objects whose path starts with `prefix` and sorts after `after`, in the order of their paths. */
  list(prefix: string, after?: string): AsyncGenerator<{ path: string; size: number }>
  /** Deletes all versions of an object except the newest. @throws Error if a version cannot be deleted */
  deleteOldVersions(path: string): Promise<void>
  /**
   * Deletes all versions of an object, or of the objects below a folder, whose path ends with a slash. Returns false if time ran out before the end.
   * @throws Error if an object cannot be deleted
   */
  deleteFolder(path: string, hasTime: () => boolean): Promise<boolean>
}

/** @throws RangeError for an empty range, for which S3 would return the whole object */
function checkRange(start: number, end: number): void {
  if (start >= end) throw new RangeError(`The range from ${start} to ${end} is empty.`)
}

const contentOf = async ({ Body }: GetObjectCommandOutput): Promise<Buffer> =>
  Buffer.from((await Body?.transformToByteArray()) ?? [])

/** Maximum number of objects that S3 deletes in one request. */
const maxDeletions = 1_000

function bucketStore(Bucket: string): ObjectStore {
  /** Returns null if the object is absent or has a different tag, and undefined if it has no byte in the range. */
  async function read(
    Key: string,
    Range?: string,
    IfMatch?: string,
  ): Promise<GetObjectCommandOutput | null | undefined> {
    try {
      return await s3().send(new GetObjectCommand({ Bucket, Key, Range, IfMatch }))
    } catch (error) {
      if (hasStatus(error, 404, 412)) return null
      if (hasStatus(error, 416)) return undefined
      throw error
    }
  }
  async function versionsOf(Prefix: string): Promise<ObjectVersion[]> {
    const { Versions = [], DeleteMarkers = [] } = await s3().send(new ListObjectVersionsCommand({ Bucket, Prefix }))
    return [...Versions, ...DeleteMarkers]
  }
  /** @throws Error if a version cannot be deleted */
  async function deleteVersions(versions: ObjectVersion[]): Promise<void> {
    const Objects = versions.slice(0, maxDeletions).map(({ Key = '', VersionId }) => ({ Key, VersionId }))
    const request = { Bucket, Delete: { Objects, Quiet: true } }
    const { Errors: [fault] = [] } = await s3().send(new DeleteObjectsCommand(request))
    if (fault) throw Object.assign(new Error(`${fault.Key}: ${fault.Message}`), { name: fault.Code })
  }
  return {
    async get(path) {
      const found = await read(path)
      return found ? { content: await contentOf(found), tag: found.ETag ?? '' } : null
    },
    async getRange(path, start, end, tag) {
      checkRange(start, end)
      const found = await read(path, `bytes=${start}-${end - 1}`, tag)
      return found === null ? null : found ? contentOf(found) : Buffer.alloc(0)
    },
    async getTail(path, bytes) {
      checkRange(0, bytes)
      const found = await read(path, `bytes=-${bytes}`)
      if (!found) return found === null ? null : { content: Buffer.alloc(0), size: 0, tag: '' }
      const content = await contentOf(found)
      // Falls back to the length, because a response with the whole object may have no range.
      return { content, size: Number(found.ContentRange?.split('/')[1] ?? content.length), tag: found.ETag ?? '' }
    },
    async put(Key, content, expectedTag) {
      const Body = Buffer.from(content)
      // Adds the checksum that S3 requires for Object Lock.
      const ChecksumSHA256 = hash('sha256', Body, 'base64')
      const condition = expectedTag === null ? { IfNoneMatch: '*' } : { IfMatch: expectedTag }
      try {
        await s3().send(new PutObjectCommand({ Bucket, Key, Body, ChecksumSHA256, ...condition }))
        return true
      } catch (error) {
        // 412: the condition failed. 409: the object was written concurrently. 404: the object to replace was deleted.
        if (hasStatus(error, 412, 409, 404)) return false
        throw error
      }
    },
    async *list(Prefix, after) {
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client: s3() },
        { Bucket, Prefix, StartAfter: after },
      ))
        for (const { Key = '', Size = 0 } of Contents) yield { path: Key, size: Size }
    },
    async deleteOldVersions(path) {
      for (;;) {
        const versions = await versionsOf(path)
        const old = versions.filter(({ Key, IsLatest }) => Key === path && IsLatest === false)
        if (old.length === 0) return
        await deleteVersions(old)
      }
    },
    async deleteFolder(path, hasTime) {
      while (hasTime()) {
        const versions = await versionsOf(path)
        if (versions.length === 0) return true
        await deleteVersions(versions)
      }
      return false
    },
  }
}

/** Ending of files that are not renamed yet. */
const temporaryEnding = '.tmp'

/** Local store in a folder that only one process uses. Files are written atomically. */
function folderStore(root: string): ObjectStore {
  const { join, dirname, relative } = process.getBuiltinModule('node:path')
  const fs = process.getBuiltinModule('node:fs')
  const absentAs =
    <T>(value: T) =>
    (error: NodeJS.ErrnoException): T => {
      if (error.code === 'ENOENT') return value
      throw error
    }
  function read(path: string): StoredObject | null {
    try {
      const content = fs.readFileSync(join(root, path))
      return { content, tag: hash('sha256', content) }
    } catch (error) {
      return absentAs(null)(error as NodeJS.ErrnoException)
    }
  }
  /** Reads a part of a file. `rangeOf` returns the part's start and end from the size of the file. */
  async function readPart(path: string, rangeOf: (size: number) => [start: number, end: number]) {
    const file = await fs.promises.open(join(root, path)).catch(absentAs(null))
    if (!file) return null
    try {
      const { size, ino, mtimeMs } = await file.stat()
      const [start, end] = rangeOf(size)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, end - start)), { position: start })
      // Identifies the file without reading it completely. Each put creates a file.
      return { content: buffer.subarray(0, bytesRead), size, tag: `${ino} ${mtimeMs} ${size}` }
    } finally {
      await file.close()
    }
  }
  return {
    get: async (path) => read(path),
    async getRange(path, start, end, tag) {
      checkRange(start, end)
      const part = await readPart(path, (size) => [start, Math.min(end, size)])
      return part?.tag === tag ? part.content : null
    },
    async getTail(path, bytes) {
      checkRange(0, bytes)
      return readPart(path, (size) => [Math.max(0, size - bytes), size])
    },
    async put(path, content, expectedTag) {
      const file = join(root, path)
      await fs.promises.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.${randomUUID()}${temporaryEnding}`
      await fs.promises.writeFile(temporary, content, { mode: 0o600 })
      // Checks and renames synchronously, so that no other write happens in between.
      const isExpected = (read(path)?.tag ?? null) === expectedTag
      if (isExpected) fs.renameSync(temporary, file)
      else fs.rmSync(temporary)
      return isExpected
    },
    async *list(prefix, after = '') {
      // Reads only the folder that contains all paths with the prefix.
      const folder = join(root, prefix.slice(0, prefix.lastIndexOf('/') + 1))
      const entries = await fs.promises.readdir(folder, { recursive: true, withFileTypes: true }).catch(absentAs([]))
      const paths = entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(temporaryEnding))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((path) => path.startsWith(prefix) && path > after)
      for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) {
        const found = await fs.promises.stat(join(root, path)).catch(absentAs(null))
        if (found) yield { path, size: found.size }
      }
    },
    // A file has no versions.
    async deleteOldVersions() {},
    async deleteFolder(path) {
      await fs.promises.rm(join(root, path), { recursive: true, force: true })
      return true
    },
  }
}

const objectStore = (bucket: 'sealBucket' | 'archiveBucket', folder: 'sealFolder' | 'archiveFolder'): ObjectStore => {
  const path = env[folder]
  return path ? folderStore(path) : bucketStore(env[bucket])
}

/** Store of tiles and checkpoints of the sealed logs (S3). */
export const sealStore = (): ObjectStore => objectStore('sealBucket', 'sealFolder')

/** Store of files and manifests of the archive (R4). */
export const archiveStore = (): ObjectStore => objectStore('archiveBucket', 'archiveFolder')
