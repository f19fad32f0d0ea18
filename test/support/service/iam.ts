import { isObject } from '#shared/core/json/is-object.ts'

type Values = string | string[]
type Condition = Record<string, Record<string, Values | boolean>>

/** A statement of an identity-based policy with resolved references. */
export type Statement = {
  Effect: 'Allow' | 'Deny'
  Action?: Values
  NotAction?: Values
  Resource?: Values
  NotResource?: Values
  Condition?: Condition
}

/** A call that IAM decides on. If a condition key is missing in `context`, the request does not contain the key. */
export type Call = { action: string; resource: string; context: Record<string, Values> }

export type Decision = 'allowed' | 'explicitly denied' | 'implicitly denied'

const elements = new Set(['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition'])

/** A statement of a resource policy of a topic, function, bucket or key, or of a role's trust policy. */
export type ResourceStatement = Statement & { Principal: '*' | Record<string, Values> }

/** A call that an AWS service makes as itself, without a role. */
export type ServiceCall = Call & { service: string }

const listed = (values: Values): string[] => (Array.isArray(values) ? values : [values])

const compiled = new Map<string, RegExp>()

/**
 * Matches a pattern in which `*` matches any string and `?` matches one character.
 * @throws Error for a policy variable, which is not supported
 */
function matchesPattern(text: string, pattern: string): boolean {
  const cached = compiled.get(pattern)
  if (cached) return cached.test(text)
  if (pattern.includes('${')) throw new Error(`Unsupported policy variable: ${pattern}`)
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.')
  compiled.set(pattern, new RegExp(`^${source}$`, 's'))
  return matchesPattern(text, pattern)
}

type Compare = (value: string, pattern: string) => boolean
const same: Compare = (value, pattern) => value === pattern
const bool: Compare = (value, pattern) => value.toLowerCase() === pattern.toLowerCase()

/** Condition operators by name. Each defines how values are compared, and whether the result is negated. */
const operators: Record<string, { compare: Compare; negated: boolean }> = {
  StringEquals: { compare: same, negated: false },
  StringNotEquals: { compare: same, negated: true },
  StringLike: { compare: matchesPattern, negated: false },
  StringNotLike: { compare: matchesPattern, negated: true },
  ArnEquals: { compare: matchesPattern, negated: false },
  ArnLike: { compare: matchesPattern, negated: false },
  ArnNotLike: { compare: matchesPattern, negated: true },
  Bool: { compare: bool, negated: false },
}

function isMet(operator: string, patterns: string[], given: string[] | undefined): boolean {
  if (operator === 'Null') return patterns.some((value) => (value === 'true') === (given === undefined))
  const [, set, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? []
  const known = operators[name]
  if (!known || (set && ifExists)) throw new Error(`Unsupported condition operator: ${operator}`)
  const { compare, negated } = known
  const matches = (value: string) => patterns.some((one) => compare(value, one)) !== negated
  if (ifExists && given === undefined) return true
  // Missing values satisfy every `ForAllValues` and no `ForAnyValue`.
  if (set === 'ForAllValues') return (given ?? []).every(matches)
  if (set === 'ForAnyValue') return (given ?? []).some(matches)
  if (given === undefined) return negated
  if (given.length !== 1) throw new Error(`${operator} compares one value, and the request has ${given.length}.`)
  return matches(given[0] as string)
}

function meets(condition: Condition, context: Call['context'], supported: ReadonlySet<string>): boolean {
  return Object.entries(condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, patterns]) => {
      if (!supported.has(key)) throw new Error(`Recorded calls do not contain ${key}.`)
      const given = context[key]
      return isMet(operator, listed(patterns as Values).map(String), given === undefined ? undefined : listed(given))
    }),
  )
}

/** Condition keys that recorded calls contain if the action supports them. */
const recordedKeys = new Set(['dynamodb:LeadingKeys', 'dynamodb:EnclosingOperation'])

/** Condition keys that services send with their calls, as documented for the calling service and for the target. */
const sentByServices = new Set([
  'aws:SecureTransport',
  'aws:SourceAccount',
  'aws:SourceArn',
  'kms:EncryptionContext:aws:logs:arn',
  'kms:ViaService',
])

function applies(statement: Statement, { action, resource, context }: Call, supported: ReadonlySet<string>): boolean {
  const unknown = Object.keys(statement).find((element) => !elements.has(element))
  if (unknown) throw new Error(`Unsupported element of a statement: ${unknown}`)
  const { Action, NotAction, Resource, NotResource, Condition = {} } = statement
  const matchesAny = (patterns: Values) =>
    listed(patterns).some((pattern) => matchesPattern(action.toLowerCase(), pattern.toLowerCase()))
  const at = (patterns: Values) => listed(patterns).some((pattern) => matchesPattern(resource, pattern))
  if (Action === undefined ? NotAction === undefined || matchesAny(NotAction) : !matchesAny(Action)) return false
  if (Resource === undefined ? NotResource === undefined || at(NotResource) : !at(Resource)) return false
  if (!isObject(Condition)) throw new Error('A condition is no object.')
  return meets(Condition, context, supported)
}

const decided = (applying: Statement[]): Decision => {
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'explicitly denied'
  return applying.some(({ Effect }) => Effect === 'Allow') ? 'allowed' : 'implicitly denied'
}

/**
 * Decides on a call by the evaluation logic in the IAM User Guide: an explicit deny overrides an allow, and the default is deny.
 * @throws Error for an unsupported policy element
 */
export function evaluate(statements: Statement[], call: Call, keys: ReadonlySet<string> = recordedKeys): Decision {
  return decided(statements.filter((statement) => applies(statement, call, keys)))
}

/** Decides on a call that a service makes with a role. Such calls have different condition keys than recorded calls. */
export const evaluateForService = (statements: Statement[], call: Call): Decision =>
  evaluate(statements, call, sentByServices)

/** True if a statement applies to a service. A deny for `*` applies to every principal, but an allow must name the service. */
function appliesToService({ Principal, Effect }: ResourceStatement, service: string): boolean {
  const principals = Principal === '*' ? { AWS: '*' } : Principal
  const everybody = Object.values(principals).some((values) => listed(values).includes('*'))
  return (everybody && Effect === 'Deny') || listed(principals.Service ?? []).includes(service)
}

/** Uses a resource policy to decide on a call that a service makes as itself. */
export function admits(statements: ResourceStatement[], call: ServiceCall): Decision {
  const concerning = statements.filter((statement) => appliesToService(statement, call.service))
  return decided(concerning.filter(({ Principal: _named, ...rest }) => applies(rest, call, sentByServices)))
}
