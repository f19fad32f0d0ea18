import { readableStack } from './readable-stack.ts'

type ErrorFields = {
  error: string
  stack?: string
  /** HTTP status and request id of an AWS response, for support cases. */
  aws?: { status?: number; request_id?: string }
  reasons?: string[]
  cause?: ErrorFields
  /** At most `maxErrors` distinct errors of an AggregateError. `error_count` is the number of all its errors. */
  errors?: ErrorFields[]
  error_count?: number
}

const maxCauses = 4
const maxErrors = 8

/** Patterns of tokens and email addresses, which error messages may contain. */
const secrets: [RegExp, string][] = [
  [/\bna[acgp]_[\w-]{20,}/g, '[token]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '[token]'],
  [/\b(bearer|basic)\s+[\w+/=.~-]+/gi, '$1 [token]'],
  [/[^\s"'<>@:;,()[\]{}]+@[\w-]+(\.[\w-]+)+/g, '[email]'],
]

export const redactSecrets = (text: string): string =>
  secrets.reduce((result, [pattern, word]) => result.replace(pattern, word), text)

type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; requestId?: string }
  CancellationReasons?: { Code?: string; Message?: string }[]
}

/** Describes an error for the log. Omits other properties, because the error of a failed write contains the item. */
export function describeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { error: 'not an error object' }
  const { name, message, stack, cause, $metadata: aws, CancellationReasons: reasons } = error as AwsError
  const nestedErrors = error instanceof AggregateError ? (error.errors as unknown[]) : []
  const canNest = depth < maxCauses
  return {
    error: redactSecrets(message ? `${name}: ${message}` : name),
    ...(stack && { stack: redactSecrets(readableStack(stack)) }),
    ...(aws && { aws: { status: aws.httpStatusCode, request_id: aws.requestId } }),
    ...(reasons && {
      reasons: reasons.map(({ Code, Message }) => redactSecrets([Code, Message].filter(Boolean).join(': '))),
    }),
    ...(cause !== undefined && canNest && { cause: describeError(cause, depth + 1) }),
    ...(nestedErrors.length > 0 &&
      canNest && {
        errors: [...new Map(nestedErrors.map((nestedError) => [String(nestedError), nestedError])).values()]
          .slice(0, maxErrors)
          .map((nestedError) => describeError(nestedError, depth + 1)),
        error_count: nestedErrors.length,
      }),
  }
}
