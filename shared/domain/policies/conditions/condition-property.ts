import type { Subject } from '../../../core/subject.ts'
import type { JsonSchema } from '../../../values/field.ts'

/** Request properties that policy conditions evaluate (A17.3). */
export type ConditionContext = {
  client: { verified_at: string | null } | null
  subject: Pick<Subject, 'ip_region' | 'auth_provider_id'> & { ip: string | null }
}

/** Evaluates a condition at a time in microseconds. If the condition holds only for a limited time, returns its end instead of true. */
export type ConditionTest = (context: ConditionContext, at: number) => boolean | number

export type ConditionProperty = {
  name: string
  operators: readonly string[]
  /** Plural noun for the values, used in the API reference. */
  values: string
  message: string
  /** Returns the validation message for a value, or undefined if the value is valid. */
  refuse: (value: string) => string | undefined
  form: JsonSchema
  single?: boolean
  /** Returns the fact that the condition evaluates. When a fact changes, the client's authorizations are evaluated again. */
  fact: (context: ConditionContext) => string | boolean | null
  /** Returns whether the condition can be evaluated without a client, for people or for service accounts. */
  isDecidable: (person: boolean) => boolean
  /** Creates the test function from stored values, which are already validated. */
  parse: (values: string[], operator: string) => ConditionTest
}
