import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { sdkByFetch } from '../service/sdk-by-fetch.ts'

const elementTexts = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, text = '']) => text)

type Version = { key: string; id: string; isLatest: boolean; putAt: Date; until: Date | null; isMarker?: boolean }

const dayMs = 86_400_000
const now = () => new Date(clock.now() / 1_000)

/** A bucket with Object Lock that behaves as documented for S3: locks can be extended but never shortened. */
export class LockedBucket {
  readonly versions: Version[] = []
  /** The default retention as XML, or null if the bucket has no Object Lock. */
  rule: string | null
  pageLength = 1_000
  /** Received requests, each as `METHOD key subresource`. */
  readonly requests: string[] = []
  /** Replaces the bucket's response, unless the function returns undefined. */
  fault: (request: string) => Response | undefined = () => undefined
  private readonly days: number

  constructor(days: number) {
    this.days = days
    this.rule = `<Mode>COMPLIANCE</Mode><Days>${days}</Days>`
    vi.stubEnv('SEAL_FOLDER', '')
    vi.stubEnv('SEAL_BUCKET', 'sealed')
    vi.stubEnv('SEAL_LOCK_DAYS', String(days))
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
    const { fetch } = globalThis
    sdkByFetch()
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) =>
      new URL(url).hostname.startsWith('sealed.s3.') ? this.answer(new URL(url), init) : fetch(url, init),
    )
  }

  put(key: string, until: Date | null = new Date(now().getTime() + this.days * dayMs)): Version {
    for (const other of this.of(key)) other.isLatest = false
    const version = {
      key,
      id: `v${this.versions.length}`,
      isLatest: true,
      putAt: new Date(Math.floor(now().getTime() / 1_000) * 1_000),
      until,
    }
    this.versions.push(version)
    return version
  }

  /** Hides an object behind a delete marker, which requires only permission to delete objects. */
  hide(key: string): void {
    this.put(key, null).isMarker = true
  }

  of(key: string): Version[] {
    return this.versions.filter((version) => version.key === key)
  }

  /** Full days for which each version remains locked, keyed by object key and version id. */
  lockedDays(): Record<string, number> {
    const days = ({ until }: Version) => ((until?.getTime() ?? 0) - now().getTime()) / dayMs
    return Object.fromEntries(
      this.versions.filter(({ isMarker }) => !isMarker).map((one) => [`${one.key} ${one.id}`, Math.floor(days(one))]),
    )
  }

  private async answer(url: URL, { method = 'GET', body, headers }: RequestInit): Promise<Response> {
    const key = decodeURIComponent(url.pathname.slice(1))
    const [subresource = ''] = ['object-lock', 'versions', 'retention'].filter((name) => url.searchParams.has(name))
    const request = [method, key || url.searchParams.get('prefix'), subresource].filter(Boolean).join(' ')
    this.requests.push(request)
    const fault = this.fault(request)
    if (fault) return fault
    if (subresource === 'object-lock') return this.lockConfiguration()
    if (subresource === 'versions') return this.list(url.searchParams)
    const version = this.of(key).find(({ id }) => id === url.searchParams.get('versionId'))
    if (subresource !== 'retention') return new Response('', { status: 405 })
    if (!version) return new Response('<Error><Code>NoSuchVersion</Code></Error>', { status: 404 })
    if (method === 'GET') {
      if (!version.until)
        return new Response('<Error><Code>NoSuchObjectLockConfiguration</Code></Error>', { status: 404 })
      const date = version.until.toISOString()
      return new Response(`<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>${date}</RetainUntilDate></Retention>`)
    }
    if (!(headers as Record<string, string>)['x-amz-checksum-crc32']) return new Response('', { status: 400 })
    return this.retain(version, await new Response(body).text())
  }

  private retain(version: Version, xml: string): Response {
    const until = new Date(elementTexts(xml, 'RetainUntilDate')[0] ?? '')
    if (elementTexts(xml, 'Mode')[0] !== 'COMPLIANCE') return new Response('', { status: 400 })
    if (version.until && until < version.until)
      return new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })
    version.until = until
    return new Response('')
  }

  private lockConfiguration(): Response {
    if (this.rule === null) {
      return new Response('<Error><Code>ObjectLockConfigurationNotFoundError</Code></Error>', { status: 404 })
    }
    return new Response(`<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>
      <DefaultRetention>${this.rule}</DefaultRetention></Rule></ObjectLockConfiguration>`)
  }

  private list(query: URLSearchParams): Response {
    const [prefix, keyMarker, idMarker] = ['prefix', 'key-marker', 'version-id-marker'].map((name) => query.get(name))
    // Puts the newest version of a key first, as S3 does.
    const order = this.versions
      .filter(({ key }) => key.startsWith(prefix ?? ''))
      .toReversed()
      .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    const at = keyMarker === null ? 0 : order.findIndex(({ key, id }) => key === keyMarker && id === idMarker) + 1
    const page = order.slice(at, at + this.pageLength)
    const last = page.at(-1)
    const isCut = at + this.pageLength < order.length
    const spelled = page.map(({ key, id, isLatest, putAt, isMarker }) => {
      const fields = `<Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest>`
      const name = isMarker ? 'DeleteMarker' : 'Version'
      return `<${name}>${fields}<LastModified>${putAt.toISOString()}</LastModified></${name}>`
    })
    const marker = `<NextKeyMarker>${last?.key}</NextKeyMarker>
      <NextVersionIdMarker>${last?.id}</NextVersionIdMarker>`
    return new Response(`<ListVersionsResult><IsTruncated>${isCut}</IsTruncated>${isCut ? marker : ''}
      ${spelled.join('')}</ListVersionsResult>`)
  }
}
