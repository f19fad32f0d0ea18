import { createHash, createHmac, randomUUID } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { readConsoleCookie } from '../auth/console-cookie.ts'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { decryptBytes, deriveKey, encryptBytes } from '../core/secrets/sealed-bytes.ts'
import { bearerToken } from '../core/secrets/token.ts'
import { type Item, partition } from '../table/keys.ts'
import { ifMet, putItem } from '../table/put-item.ts'
import { getItem } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'
import type { Answer, Event, IdempotencyLock } from './exchange.ts'

const second = 1_000_000
/** Maximum duration of a lock. It is longer than any request can take (A8.3(4)). */
const lockMicros = 60 * second
const answerMicros = 24 * 3600 * second
const storedHeaders = ['content-type', 'cache-control', 'location', 'etag']

/** Computes the fingerprint of a request. A retry has the same fingerprint (A8.3(3)). */
const computeFingerprint = (key: Buffer, event: Event, body: Buffer): string =>
  createHmac('sha256', key)
    .update([event.requestContext.http.method, event.rawPath, event.rawQueryString, ''].join('\n'))
    .update(body)
    .digest('base64url')

/** Version of the format of stored responses (docs/evolution.md). */
const answerVersion = 1

/** Encrypts a response, because it may contain a secret that is stored nowhere else. */
function encryptAnswer({ secret }: IdempotencyLock, { statusCode, headers = {}, body }: Answer): Buffer {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => storedHeaders.includes(name)))
  return encryptBytes(
    secret,
    zstdCompressSync(JSON.stringify({ version: answerVersion, statusCode, headers: kept, body })),
  )
}

/**
 * Decrypts a stored response.
 * @throws Error for an unknown format version
 */
function decryptAnswer({ secret }: IdempotencyLock, sealed: Uint8Array): Answer {
  const { version, ...answer } = JSON.parse(zstdDecompressSync(decryptBytes(secret, sealed)).toString())
  if (version !== answerVersion) throw new Error(`Stored responses of version ${version} are not supported.`)
  return answer
}

const lockItem = ({ key, id, fingerprint }: IdempotencyLock, micros: number): Item => {
  const ends = clock.now() + micros
  return { ...key, kind: 'idempotency', run: id, fingerprint, ends, ttl: Math.ceil(ends / second) }
}

/**
 * Locks the Idempotency-Key of a request for its credential (A8.3). If a response is already stored, returns it as `replay`.
 * @throws ApiError `invalid_idempotency_key`, `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function acquireLock(
  { accountId, tokenId }: { accountId: string; tokenId: string },
  header: string,
  event: Event,
  body: Buffer,
): Promise<{ run?: IdempotencyLock; replay?: Answer }> {
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) throw new ApiError('invalid_idempotency_key')
  const key = {
    pk: partition(accountId, 'idempotency', tokenId),
    sk: createHash('sha256').update(header).digest('base64url'),
  }
  // Derives the encryption key from the token, so that the service does not need to store it. Only the client that retries has the token.
  const token = bearerToken(event.headers.authorization) ?? readConsoleCookie(event)?.token
  if (token === undefined) throw new Error('A request with an Idempotency-Key has no token.')
  const secret = deriveKey(token, `kept answer ${key.pk}${key.sk}`)
  const run: IdempotencyLock = { key, id: randomUUID(), secret, fingerprint: computeFingerprint(secret, event, body) }
  for (let tries = 0; tries < 3; tries++) {
    if (await tryLock(run)) return { run }
    const current = await getItem(key)
    // Tries again, because the lock was deleted between the two calls.
    if (!current) continue
    // Continues as the holder. The write of this lock succeeded, but its response was lost and the AWS SDK repeated the write.
    if (current.run === run.id) return { run }
    if (current.fingerprint !== run.fingerprint) throw new ApiError('idempotency_key_reused')
    if (current.answer instanceof Uint8Array) return { replay: decryptAnswer(run, current.answer) }
    throw new ApiError('idempotency_in_progress', undefined, { headers: { 'retry-after': '1' } })
  }
  throw new ApiError('unavailable')
}

const tryLock = (run: IdempotencyLock): Promise<boolean> =>
  isDone(
    putItem(lockItem(run, lockMicros), {
      ConditionExpression: 'attribute_not_exists(pk) OR ends <= :now',
      ExpressionAttributeValues: { ':now': clock.now() },
    }),
  )

const whileHeldBy = ({ id }: IdempotencyLock, more = '') => ({
  ConditionExpression: `#run = :run${more}`,
  ExpressionAttributeNames: { '#run': 'run' },
  ExpressionAttributeValues: { ':run': id },
})

const answerItem = (run: IdempotencyLock, answer: Answer) => ({
  ...lockItem(run, answerMicros),
  answer: encryptAnswer(run, answer),
})

export const savedAnswerWrite = (run: IdempotencyLock, answer: Answer) => ({
  TableName: tableName(),
  Item: answerItem(run, answer),
  ...whileHeldBy(run),
})

export const saveAnswer = (run: IdempotencyLock, answer: Answer): Promise<boolean> =>
  isDone(putItem(answerItem(run, answer), whileHeldBy(run)))

/** Releases the key after a response that is not stored. Does nothing if a commit has already stored a response. */
export const releaseLock = (run: IdempotencyLock): Promise<boolean> => {
  const condition = whileHeldBy(run, ' AND attribute_not_exists(answer)')
  return isDone(table().send(new DeleteCommand({ TableName: tableName(), Key: run.key, ...condition })))
}

const isDone = async (write: Promise<unknown>): Promise<boolean> => (await ifMet(write)) !== null
