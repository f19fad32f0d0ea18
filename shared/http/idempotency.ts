import { createHash, createHmac, randomUUID } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Sealed, seal, unseal } from '../core/secrets/sealed-secret.ts'
import { firstVersion, namedVersion, nameVersion } from '../core/secrets/secret-versions.ts'
import { keyOf, writingKey } from '../core/secrets/service-secret.ts'
import { table, tableName } from '../table/client.ts'
import { DeleteCommand, PutCommand } from '../table/commands.ts'
import { type Item, partition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import { ConditionalCheckFailedException } from '../table/refused-write.ts'
import type { Answer, Event, IdempotencyLock } from './exchange.ts'

const second = 1_000_000
/** Longer than any request can run. */
const runMicros = 60 * second
const keptMicros = 24 * 3600 * second
const keptHeaders = ['content-type', 'cache-control', 'location', 'etag']

const purpose = 'idempotency fingerprint'

const fingerprint = (key: Buffer, event: Event, body: Buffer): string =>
  createHmac('sha256', key)
    .update([event.requestContext.http.method, event.rawPath, event.rawQueryString, ''].join('\n'))
    .update(body)
    .digest('base64url')

/** Requests with the same fingerprint count as repetitions (A8.3(3)). */
async function fingerprintOf(event: Event, body: Buffer): Promise<string> {
  const { version, key } = await writingKey(purpose)
  return nameVersion(version, fingerprint(key, event, body))
}

/** Whether a request has the fingerprint; of one by a version that is gone nobody can tell, so it has not. */
async function hasFingerprint(kept: unknown, event: Event, body: Buffer): Promise<boolean> {
  const { version, text } = namedVersion(String(kept))
  const key = await keyOf(version, purpose)
  return key !== null && fingerprint(key, event, body) === text
}

/** The form that answers are kept in. The one before had no number (docs/evolution.md). */
const answerVersion = 2

/** Encrypted, because an answer can hold a secret that is stored nowhere else. */
async function sealAnswer({ accountId, key }: IdempotencyLock, answer: Answer) {
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).filter(([name]) => keptHeaders.includes(name)),
  )
  const { statusCode, body } = answer
  const text = JSON.stringify({ version: answerVersion, statusCode, headers, body })
  return seal(accountId, 'idempotency', key.pk + key.sk, zstdCompressSync(text))
}

/** @throws for a form that is neither today's nor the one before */
async function openAnswer({ accountId, key }: IdempotencyLock, sealed: Sealed): Promise<Answer> {
  const text = zstdDecompressSync(await unseal(accountId, 'idempotency', key.pk + key.sk, sealed))
  const { version = 1, ...answer } = JSON.parse(text.toString())
  if (version !== 1 && version !== answerVersion) throw new Error(`Kept answers of form ${version} are not known.`)
  return answer
}

const itemOf = ({ key, id, fingerprint }: IdempotencyLock, micros: number): Item => {
  const ends = clock.now() + micros
  return { ...key, kind: 'idempotency', run: id, fingerprint, ends, ttl: Math.ceil(ends / second) }
}

/**
 * Takes the key of a request for its credential (A8.3), or finds the answer that was given before.
 * @throws ApiError `invalid_idempotency_key`, `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function acquireLock(
  { accountId, tokenId }: { accountId: string; tokenId: string },
  header: string,
  event: Event,
  body: Buffer,
): Promise<{ run: IdempotencyLock } | { replay: Answer }> {
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) throw new ApiError('invalid_idempotency_key')
  const key = {
    pk: partition(accountId, 'idempotency', tokenId),
    sk: createHash('sha256').update(header).digest('base64url'),
  }
  const run: IdempotencyLock = { key, id: randomUUID(), accountId, fingerprint: await fingerprintOf(event, body) }
  for (let tries = 0; tries < 3; tries++) {
    if (await take(run)) return { run }
    const held = await getItem(key)
    // It ended just now: its key is free again.
    if (!held) continue
    // The answer to who took it was lost, and it was asked for again.
    if (held.run === run.id) return { run }
    if (!(await hasFingerprint(held.fingerprint, event, body))) throw new ApiError('idempotency_key_reused')
    const { answer: bytes, answer_secret: version = firstVersion } = held
    if (bytes instanceof Uint8Array) return { replay: await openAnswer(run, { version: String(version), bytes }) }
    throw new ApiError('idempotency_in_progress', undefined, { headers: { 'retry-after': '1' } })
  }
  throw new ApiError('unavailable')
}

async function take(run: IdempotencyLock): Promise<boolean> {
  return conditionally(
    table().send(
      new PutCommand({
        TableName: tableName(),
        Item: itemOf(run, runMicros),
        ConditionExpression: 'attribute_not_exists(pk) OR ends <= :now',
        ExpressionAttributeValues: { ':now': clock.now() },
      }),
    ),
  )
}

/** The write that keeps an answer, only while the run holds its key. */
export async function savedAnswerWrite(run: IdempotencyLock, answer: Answer) {
  const { version, bytes } = await sealAnswer(run, answer)
  return {
    TableName: tableName(),
    Item: {
      ...itemOf(run, keptMicros),
      answer: bytes,
      ...(version !== firstVersion && { answer_secret: version }),
    },
    ConditionExpression: '#run = :run',
    ExpressionAttributeNames: { '#run': 'run' },
    ExpressionAttributeValues: { ':run': run.id },
  }
}

export const saveAnswer = async (run: IdempotencyLock, answer: Answer): Promise<boolean> =>
  conditionally(table().send(new PutCommand(await savedAnswerWrite(run, answer))))

/** Gives the key back after an answer that is not kept; an answer that a commit has kept stays. */
export const releaseLock = (run: IdempotencyLock): Promise<boolean> =>
  conditionally(
    table().send(
      new DeleteCommand({
        TableName: tableName(),
        Key: run.key,
        ConditionExpression: '#run = :run AND attribute_not_exists(answer)',
        ExpressionAttributeNames: { '#run': 'run' },
        ExpressionAttributeValues: { ':run': run.id },
      }),
    ),
  )

async function conditionally(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
