import { hash } from 'node:crypto'
import { askBucket, decodeKey } from '../../core/aws/bucket.ts'
import { elementTexts } from '../../core/aws/element-texts.ts'
import { hasStatus } from '../../core/aws/signed-fetch.ts'
import { env } from '../../core/env.ts'

/** A version of an object in the bucket of the sealed logs. */
export type ObjectVersion = { key: string; id: string; isLatest: boolean; putAt: Date }

/** The place at which the next page of a listing of versions begins. */
export type VersionPlace = { key: string; id: string }

type VersionPage = { versions: ObjectVersion[]; next: VersionPlace | null }

/** Bound of one request, as for other requests to the bucket. */
const answerMs = 5_000

const ask = (request: Parameters<typeof askBucket>[1]) => askBucket(env.sealBucket, request, answerMs)

const read = async (query: Record<string, string>, key?: string): Promise<string> =>
  (await ask({ method: 'GET', query, key })).text()

/** Days for which nobody can delete a new object; 0 where the bucket has no such rule, or one that somebody can bypass. */
export async function defaultLockDays(): Promise<number> {
  try {
    const xml = await read({ 'object-lock': '' })
    const number = (name: string) => Number(elementTexts(xml, name)[0] ?? 0)
    return elementTexts(xml, 'Mode')[0] === 'COMPLIANCE' ? number('Days') + 365 * number('Years') : 0
  } catch (error) {
    if (hasStatus(error, 404)) return 0
    throw error
  }
}

/** A page of the versions whose keys begin with this, in the order of keys. */
export async function readVersions(prefix: string, after: VersionPlace | null): Promise<VersionPage> {
  const xml = await read({
    versions: '',
    'encoding-type': 'url',
    prefix,
    ...(after && { 'key-marker': after.key, 'version-id-marker': after.id }),
  })
  const versions = elementTexts(xml, 'Version').map((version) => {
    const text = (name: string) => elementTexts(version, name)[0] ?? ''
    return {
      key: decodeKey(text('Key')),
      id: text('VersionId'),
      isLatest: text('IsLatest') === 'true',
      putAt: new Date(text('LastModified')),
    }
  })
  const marker = (name: string) => elementTexts(xml, name)[0] ?? ''
  const isCut = marker('IsTruncated') === 'true'
  return {
    versions,
    next: isCut ? { key: decodeKey(marker('NextKeyMarker')), id: marker('NextVersionIdMarker') } : null,
  }
}

async function isLockedUntil(query: Record<string, string>, key: string, until: Date): Promise<boolean> {
  const xml = await read(query, key).catch((error) => {
    // S3 has no retention of the version.
    if (hasStatus(error, 404)) return ''
    throw error
  })
  const [date = ''] = elementTexts(xml, 'RetainUntilDate')
  return elementTexts(xml, 'Mode')[0] === 'COMPLIANCE' && new Date(date).getTime() >= until.getTime()
}

/**
 * Locks a version until this instant; harmless to repeat. A version that is locked for longer stays so, and one that is gone is left
 * alone.
 * @throws AnswerError
 */
export async function lockVersion({ key, id }: ObjectVersion, until: Date): Promise<void> {
  const query = { retention: '', versionId: id }
  const date = `<Mode>COMPLIANCE</Mode><RetainUntilDate>${until.toISOString()}</RetainUntilDate>`
  const body = `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${date}</Retention>`
  try {
    await ask({ method: 'PUT', key, query, body, headers: { 'content-md5': hash('md5', body, 'base64') } })
  } catch (error) {
    if (hasStatus(error, 404)) return
    // S3 refuses to shorten a lock. A missing right has the same status.
    if (!hasStatus(error, 400, 403) || !(await isLockedUntil(query, key, until))) throw error
  }
}
