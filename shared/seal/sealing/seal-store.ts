import { hash, randomUUID } from 'node:crypto'
import { askBucket } from '../../core/aws/bucket.ts'
import { hasStatus } from '../../core/aws/signed-fetch.ts'
import { env } from '../../core/env.ts'

/** An object as it is, and what tells it from what it was. */
type Stored = { content: Buffer; tag: string }

/** Where tiles and checkpoints are kept (S3). */
export type SealStore = {
  get(path: string): Promise<Stored | null>
  /**
   * Puts an object in the place of the one with this tag, or where there is none. False where something else is there: whoever
   * comes late overwrites nothing.
   */
  put(path: string, content: string | Buffer, instead: string | null): Promise<boolean>
}

/** As long as an answer of the table: the last try of a request ends before its function does. */
const answerMs = 5_000

const ask = (request: Parameters<typeof askBucket>[1]) => askBucket(env.sealBucket, request, answerMs)

const bucket: SealStore = {
  async get(path) {
    try {
      const response = await ask({ method: 'GET', key: path })
      return { content: Buffer.from(await response.arrayBuffer()), tag: response.headers.get('etag') ?? '' }
    } catch (error) {
      if (hasStatus(error, 404)) return null
      throw error
    }
  },
  async put(path, content, instead) {
    const body = Buffer.from(content)
    // A bucket with Object Lock takes no object without its checksum.
    const checksum = { 'x-amz-checksum-sha256': hash('sha256', body, 'base64') }
    const condition: Record<string, string> = instead === null ? { 'if-none-match': '*' } : { 'if-match': instead }
    try {
      await ask({ method: 'PUT', key: path, body, headers: { ...checksum, ...condition } })
      return true
    } catch (error) {
      // 409: another writes the same at this moment. 404: what was to be replaced is gone.
      if (hasStatus(error, 412, 409, 404)) return false
      throw error
    }
  },
}

/** On one machine the same tree is a folder, which one process has. A file is there as a whole or not at all. */
const folder = (root: string): SealStore => {
  const { join, dirname } = process.getBuiltinModule('node:path')
  const fs = process.getBuiltinModule('node:fs')
  const read = (path: string): Stored | null => {
    try {
      const content = fs.readFileSync(join(root, path))
      return { content, tag: hash('sha256', content) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
  return {
    get: async (path) => read(path),
    async put(path, content, instead) {
      const file = join(root, path)
      await fs.promises.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.${randomUUID()}.tmp`
      await fs.promises.writeFile(temporary, content, { mode: 0o600 })
      // Nothing comes between the look and the change.
      const isExpected = (read(path)?.tag ?? null) === instead
      if (isExpected) fs.renameSync(temporary, file)
      else fs.rmSync(temporary)
      return isExpected
    },
  }
}

export const sealStore = (): SealStore => (env.sealFolder ? folder(env.sealFolder) : bucket)
