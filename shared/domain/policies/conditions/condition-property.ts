import type { Subject } from '../../../core/subject.ts'
import type { JsonSchema } from '../../../values/field.ts'

/** Circumstances of a request, which the conditions of policies test (A17.3). */
export type ConditionContext = {
  client: { verified_at: string | null } | null
  subject: Pick<Subject, 'ip_region' | 'auth_provider_id'> & { ip: string | null }
}

/** Tests a condition at an instant in microseconds; returns the end of one that ends by itself. */
export type ConditionTest = (context: ConditionContext, at: number) => boolean | number

/** A property that conditions can be about (A17.1). */
export type ConditionProperty = {
  name: string
  operators: readonly string[]
  /** Plural for its values in the text about operators. */
  values: string
  message: string
  /** Returns the message for a value that is not allowed. */
  refuse: (value: string) => string | undefined
  form: JsonSchema
  single?: boolean
  /** The circumstance that it tests. A client's authorizations are tested again when one changes. */
  fact: (context: ConditionContext) => string | boolean | null
  /** Returns whether access lists can test it without a client: for people, or for service accounts. */
  isDecidable: (person: boolean) => boolean
  /** Parses values that were checked before they were stored. */
  parse: (values: string[], operator: string) => ConditionTest
}
