import { hash } from 'node:crypto'
import { Retries } from '../core/aws/retries.ts'
import { serviceHost } from '../core/aws/service-host.ts'
import { AnswerError, type SignedRequest, signedFetch, uriEncode } from '../core/aws/signed-fetch.ts'
import { env } from '../core/env.ts'

/** Where tiles and checkpoints are kept (S3). */
export type SealStore = {
  get(path: string): Promise<string | null>
  put(path: string, content: string | Buffer): Promise<void>
}

const retries = new Retries()

function ask(request: Pick<SignedRequest, 'method' | 'body' | 'headers'>, path: string): Promise<Response> {
  const host = `${env.sealBucket}.${serviceHost('s3')}`
  const encoded = `/${path.split('/').map(uriEncode).join('/')}`
  return retries.run(() => signedFetch({ service: 's3', host, path: encoded, ...request }))
}

const bucket: SealStore = {
  async get(path) {
    try {
      return await (await ask({ method: 'GET' }, path)).text()
    } catch (error) {
      if (error instanceof AnswerError && error.$metadata.httpStatusCode === 404) return null
      throw error
    }
  },
  async put(path, content) {
    const body = Buffer.from(content)
    // A bucket with Object Lock takes no object without its checksum.
    const headers = { 'x-amz-checksum-sha256': hash('sha256', body, 'base64') }
    await ask({ method: 'PUT', body, headers }, path)
  },
}

/** On one machine the same tree is a folder. A file is there as a whole or not at all. */
const folder = (root: string): SealStore => {
  const { join, dirname } = process.getBuiltinModule('node:path')
  const fs = process.getBuiltinModule('node:fs/promises')
  return {
    async get(path) {
      return fs.readFile(join(root, path), 'utf8').catch((error) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
    },
    async put(path, content) {
      const file = join(root, path)
      await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.${process.pid}.tmp`
      await fs.writeFile(temporary, content, { mode: 0o600 })
      await fs.rename(temporary, file)
    },
  }
}

export const sealStore = (): SealStore => (env.sealFolder ? folder(env.sealFolder) : bucket)
