import { createHash, timingSafeEqual } from 'node:crypto'
import { readSecret } from '../core/aws/read-secret.ts'
import { logLine } from '../core/logging/log.ts'
import { acceptedWords } from '../core/secrets/origin-secret.ts'

/** A changed secret is known everywhere after this long. */
const timeBudgetMs = 5 * 60_000

let known: { text: string; at: number } | undefined

/** The secret by which the CDN in front of the deployment proves itself; null where there is no CDN (P8.2). */
async function cdnSecret(): Promise<string | null> {
  const given = process.env.CDN_SECRET
  if (given) return given
  const arn = process.env.CDN_SECRET_ARN
  if (!arn) return null
  if (known && Date.now() - known.at < timeBudgetMs) return known.text
  try {
    known = { text: await readSecret(arn), at: Date.now() }
  } catch (error) {
    if (!known) throw error
    logLine('ERROR', 'cdn_secret_not_read', {
      error: error instanceof Error ? error.name : 'not an error object',
    })
    known.at = Date.now()
  }
  return known.text
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Tells whether a request came through the CDN; null where there is no CDN. The secret holds one or more words, each
 * of which proves it, so that it can be changed while requests come in. Compares in constant time.
 */
export async function cameThroughCdn(proof: string | undefined): Promise<boolean | null> {
  const secret = await cdnSecret()
  if (secret === null) return null
  const sent = digest(proof ?? '')
  const matches = acceptedWords(secret).map((word) => timingSafeEqual(digest(word), sent))
  return matches.includes(true)
}
