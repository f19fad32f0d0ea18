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

export const withoutSecrets = (text: string): string =>
  secrets.reduce((kept, [pattern, word]) => kept.replace(pattern, word), text)

type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; requestId?: string }
  CancellationReasons?: { Code?: string; Message?: string }[]
}

/** Describes an error for the log. Omits other properties, because the error of a failed write contains the item. */
export function describeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { error: 'not an error object' }
  const { name, message, stack, cause, $metadata: aws, CancellationReasons: reasons } = error as AwsError
  const gathered = error instanceof AggregateError ? (error.errors as unknown[]) : []
  const deeper = depth < maxCauses
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
          .slice(0, maxErrors)
          .map((one) => describeError(one, depth + 1)),
        error_count: gathered.length,
      }),
  }
}
