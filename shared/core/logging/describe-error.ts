import { readableStack } from './readable-stack.ts'

/** What the log says of an error. */
type ErrorFields = {
  /** Its name and message. */
  error: string
  stack?: string
  /** What AWS answered: its status and the id that its support asks for. */
  aws?: { status?: number; request_id?: string }
  /** Why each part of a transaction was refused. */
  reasons?: string[]
  cause?: ErrorFields
  /** Of those that an AggregateError gathers one of each kind, as many kinds as tell anything, and how many all are. */
  errors?: ErrorFields[]
  error_count?: number
}

/** Deeper causes and more errors than this tell nobody anything new. */
const mostCauses = 4
const mostErrors = 8

/**
 * The texts of errors are written by many hands. What looks like one of our tokens, a signed one or an address does not
 * reach the log with them.
 */
const secrets: [RegExp, string][] = [
  [/\bna[acg]_[\w-]{20,}/g, '[token]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '[token]'],
  [/\b(bearer|basic)\s+[\w+/=.~-]+/gi, '$1 [token]'],
  [/[^\s"'<>@:;,()[\]{}]+@[\w-]+(\.[\w-]+)+/g, '[email]'],
]

/** Removes tokens and email addresses from a text of another origin. */
export const withoutSecrets = (text: string): string =>
  secrets.reduce((kept, [pattern, word]) => kept.replace(pattern, word), text)

type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; requestId?: string }
  CancellationReasons?: { Code?: string; Message?: string }[]
}

/**
 * The fields of a log line about an error: its text, its stack in terms of the sources, its causes. Of other properties
 * only those named here, because an error of a write carries the item.
 */
export function describeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { error: 'not an error object' }
  const { name, message, stack, cause, $metadata: aws, CancellationReasons: reasons } = error as AwsError
  const gathered = error instanceof AggregateError ? (error.errors as unknown[]) : []
  const deeper = depth < mostCauses
  return {
    error: withoutSecrets(message ? `${name}: ${message}` : name),
    ...(stack && { stack: withoutSecrets(readableStack(stack)) }),
    ...(aws && { aws: { status: aws.httpStatusCode, request_id: aws.requestId } }),
    ...(reasons && {
      reasons: reasons.map(({ Code, Message }) => withoutSecrets([Code, Message].filter(Boolean).join(': '))),
    }),
    ...(cause !== undefined && deeper && { cause: describeError(cause, depth + 1) }),
    ...(gathered.length > 0 &&
      deeper && {
        errors: [...new Map(gathered.map((one) => [String(one), one])).values()]
          .slice(0, mostErrors)
          .map((one) => describeError(one, depth + 1)),
        error_count: gathered.length,
      }),
  }
}
