import { hash } from 'node:crypto'
import { vi } from 'vitest'
import { sdkByFetch } from './sdk-by-fetch.ts'

/** S3 bucket in memory for the current test, which the SDK reaches by `fetch`. Supports what an object store requests, with versions. */
export class MemoryBucket {
  readonly objects = new Map<string, Buffer>()
  readonly requests: string[] = []
  /** Paths of objects that were replaced, once for each older version. */
  versions: string[] = []
  readonly undeletable = new Set<string>()
  /** Response to the next write, which is sent after the object is stored. */
  nextResponse: (() => Response | undefined) | null = null

  /** Number of objects in a page of a listing. */
  private readonly pageLength: number

  constructor(pageLength = 2) {
    this.pageLength = pageLength
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
    sdkByFetch()
    vi.stubGlobal('fetch', (url: string, request: { method: string; headers: Record<string, string>; body?: Buffer }) =>
      this.answer(new URL(url), request),
    )
  }

  /** Lists all objects as versions, or deletes those in the body of a request. */
  private listVersions(query: URLSearchParams): Response {
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? ''))
      .slice(0, this.pageLength)
    const versionOf = (key: string, id: string) =>
      `<Version><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>${id === 'latest'}</IsLatest></Version>`
    const versions = keys.flatMap((key) => [
      versionOf(key, 'latest'),
      ...this.versions.filter((path) => path === key).map((path) => versionOf(path, 'old')),
    ])
    return new Response(`<ListVersionsResult>${versions.join('')}</ListVersionsResult>`)
  }

  private delete(body: string): Response {
    const faults = [...body.matchAll(/<Key>([^<]*)<\/Key><VersionId>([^<]*)</g)].flatMap(([, key = '', version]) => {
      if (this.undeletable.has(key))
        return [`<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>No</Message></Error>`]
      if (version === 'old') this.versions = this.versions.filter((path) => path !== key)
      else this.objects.delete(key)
      return []
    })
    return new Response(`<DeleteResult>${faults.join('')}</DeleteResult>`)
  }

  private answer(
    { pathname, searchParams }: URL,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: Buffer },
  ): Response {
    const path = decodeURIComponent(pathname.slice(1))
    const stored = this.objects.get(path)
    const tag = stored && `"${hash('md5', stored)}"`
    this.requests.push([method, pathname, headers['if-match'] ?? headers['if-none-match'] ?? ''].join(' ').trim())
    if (searchParams.has('versions')) return this.listVersions(searchParams)
    if (method === 'POST' && searchParams.has('delete')) return this.delete(String(body))
    if (method === 'GET' && searchParams.has('list-type')) return this.list(searchParams)
    if (method === 'GET') {
      if (!stored || !tag) return new Response('', { status: 404 })
      if (headers['if-match'] && headers['if-match'] !== tag) return new Response('', { status: 412 })
      return headers.range
        ? readRange(stored, headers.range, tag)
        : new Response(bytesOf(stored), { headers: { etag: tag } })
    }
    if (headers['if-none-match'] === '*' && stored) return new Response('', { status: 412 })
    if (headers['if-match'] && !stored) return new Response('', { status: 404 })
    if (headers['if-match'] && headers['if-match'] !== tag) return new Response('', { status: 412 })
    if (stored) this.versions.push(path)
    this.objects.set(path, Buffer.from(body ?? ''))
    return this.nextResponse?.() ?? new Response('')
  }

  private list(query: URLSearchParams): Response {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort()
    const page = keys.slice(0, this.pageLength)
    const isCut = page.length < keys.length
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`,
    )
    const token = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return new Response(
      `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`,
    )
  }
}

const bytesOf = (content: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(content)

function readRange(stored: Buffer, range: string, etag: string): Response {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  const start = first === '' ? Math.max(0, stored.length - Number(last)) : Number(first)
  const end = first === '' ? stored.length : Math.min(Number(last) + 1, stored.length)
  if (start >= stored.length) return new Response('', { status: 416 })
  const headers = { 'content-range': `bytes ${start}-${end - 1}/${stored.length}`, etag }
  return new Response(bytesOf(stored.subarray(start, end)), { status: 206, headers })
}
